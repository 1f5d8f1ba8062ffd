import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE, project } from './run-cli.ts'

const FILES = {
  'calc.mjs': 'export const sum = (a, b) => a + b\n',
  'check.sh': 'echo "1..1"; echo "ok 1 - sums"',
  'exitgate.config.json':
    '{"commands": {"test": "sh check.sh"}, "evidence": {"confirmRuns": 1, "cleanRoom": "off", "canary": false}}',
}
const git = (dir: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'init.defaultBranch=main', ...args], {
    cwd: dir,
    stdio: 'pipe',
  }).toString()

function made(place: 'git' | 'no git') {
  const here = project(FILES)
  if (place === 'git') {
    git(here.dir, 'init', '-q')
    git(here.dir, 'add', '-A')
    git(here.dir, 'commit', '-qm', 'start')
  }
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(here.dir, name)), { recursive: true })
    writeFileSync(join(here.dir, name), text)
  }
  const next = (...more: string[]) => here.run(['next', ...more])
  return { ...here, write, next }
}

describe.each(['git', 'no git'] as const)('a loop with next, in a project with %s', (place) => {
  type More = ((n: number) => readonly [string, string]) | undefined
  type Loop = readonly [name: string, transcript: (n: number) => string, more: More]
  const loops: readonly Loop[] = [
    ['a log', () => 'out.log', undefined],
    ['a text file', () => 'out.txt', undefined],
    ['a subfolder', () => 'logs/out.txt', undefined],
    ['one file per iteration', (n) => `runs/${n}.txt`, undefined],
    ['a prompt that it writes', () => 'out.txt', (n) => ['prompt.md', `Try ${n}.`]],
    ['a copy of the output', () => '../out.txt', (n) => [`copy-${n}.txt`, `agent:\n${DONE}`]],
  ]
  it.each(loops)('%s is not the work of an agent that does nothing', async (_name, transcript, more) => {
    const { next, write } = made(place)
    expect((await next('--transcript', transcript(0))).code).toBe(0)
    for (const n of [1, 2]) {
      write(transcript(n), DONE)
      if (more !== undefined) write(...more(n))
      const { code, stdout } = await next('--transcript', transcript(n))
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Claim rejected: No changes since the start\./)])
    }
    write(transcript(3), DONE)
    write('calc.mjs', 'export const sum = (a, b) => b + a\n')
    const { code, stdout } = await next('--transcript', transcript(3))
    expect([code, stdout]).toEqual([10, expect.stringMatching(/^Passed, not proven: .* 1 file changed/)])
  })
})

describe('check without git', () => {
  it('has nothing to compare with at first, and then has', async () => {
    const { run, write } = made('no git')
    const check = async () => (await run(['check', '--claim'])).stdout.split('\n')[0]
    expect(await check()).toMatch(
      /^Claim not verified: files changed: This is not a git repository\. There is no earlier/,
    )
    expect(await check()).toBe('Claim rejected: No changes since the start.')
    write('calc.mjs', 'export const sum = (a, b) => b + a\n')
    expect(await check()).toMatch(/^Passed, not proven: /)
    // What was verified is the next start.
    expect(await check()).toBe('Claim rejected: No changes since the start.')
    write('more.mjs', '1')
    expect(await check()).toMatch(/^Passed, not proven: .* 1 file changed/)
  })
})

describe('--base', () => {
  const rows: readonly (readonly [name: string, args: readonly string[], stderr: string])[] = [
    ['a typo', ['check', '--claim', '--base', 'mian'], 'is not a commit in this clone. Did you mean --base main?'],
    ['for next', ['next', '--base', 'mian'], 'is not a commit in this clone. Did you mean --base main?'],
    ['in CI', ['check', '--ci', '--base', 'mian'], 'is not a commit in this clone. Did you mean --base main?'],
    ['a tag', ['check', '--base', 'v1.O'], 'is not a commit in this clone. Did you mean --base v1.0?'],
    ['a branch of the remote', ['check', '--base', 'relaese'], 'Did you mean --base origin/release?'],
    ['nothing like it', ['check', '--base', 'feature-9'], 'Fetch it, or in CI check out with fetch-depth: 0.'],
    ['an option', ['check', '--base=--all'], '--base --all is not a commit in this clone.'],
    ['a range', ['check', '--base', 'main..HEAD'], '--base main..HEAD is not a commit in this clone.'],
    ['with evidence', ['check', '--base', 'mian', '--evidence', 'ev.json'], 'Did you mean --base main?'],
  ]
  it.each(rows)('%s', async (_name, args, text) => {
    const { run, dir } = made('git')
    git(dir, 'tag', 'v1.0')
    git(dir, 'update-ref', 'refs/remotes/origin/release', 'HEAD')
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout, stderr]).toEqual([64, '', expect.stringContaining(text)])
    const meant = /Did you mean (--base \S+)\?/.exec(stderr)?.[1]
    if (meant !== undefined) expect((await run(['check', ...meant.split(' ')])).code).toBe(10)
  })

  it('without git', async () => {
    const { run, dir } = made('no git')
    const { code, stderr } = await run(['check', '--claim', '--base', 'main'])
    expect([code, stderr]).toEqual([64, expect.stringContaining(`needs a git repository, and ${dir} is not one`)])
    rmSync(join(dir, 'calc.mjs'))
  })
})
