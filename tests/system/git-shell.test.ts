import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endIdleShells } from '../../src/system/git-shell.ts'
import { type GitCall, type GitRun, runGit } from '../../src/system/run-git.ts'
import { patience } from '../timing.ts'

let root = ''
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-shell-')))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a script as git: through the shared shell if it is a query, started by Node itself if not. */
function run(
  script: string,
  args: readonly string[] = [],
  call: Partial<GitCall> = {},
  folder = 'here',
): Promise<GitRun> {
  const bin = mkdtempSync(join(root, 'bin-'))
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const cwd = join(root, folder)
  mkdirSync(cwd, { recursive: true })
  const env = { PATH: `${bin}:/usr/bin:/bin`, ...call.env }
  return runGit(args, { cwd, input: undefined, encoding: 'latin1', isQuery: true, ...call, env })
}

describe('git behaves the same, whether Node or the shared shell starts it', () => {
  const rows: Readonly<Record<string, Parameters<typeof run>>> = {
    'output on both streams': ['echo out; echo said >&2'],
    'no output': [':'],
    'output without a line break at its end': ['printf out; printf said >&2'],
    'zero bytes, and text like the marker': ["printf 'a\\0end 0123456789abcdef 0\\n'; printf '\\0end'"],
    'bytes that are not UTF-8': ["printf '\\377\\376\\0'"],
    'ten megabytes': ['head -c 10000000 /dev/zero | tr "\\0" x'],
    'an exit code': ['echo no >&2; exit 1'],
    'the exit code of a fatal error': ['exit 128'],
    'a signal': ['kill -9 $$'],
    'closed input': ['cat; echo end'],
    'arguments with quotes, spaces, line breaks and dollars': [
      'for each; do echo "<$each>"; done',
      ["it's", 'a  b', '', 'line\nbreak', '$HOME `id` \\', '-n', 'é'],
    ],
    'exactly the variables of the call': [
      'env | sort | grep -v -e "^PATH=" -e "^_=" -e "^PWD=" -e "^SHLVL=" -e "^OLDPWD="',
      [],
      { env: { LC_ALL: 'C', A: "it's $HOME\n`id`", EMPTY: '' } },
    ],
    'a variable that no shell can set': ['env | grep odd', [], { env: { 'odd.name': '1' } }],
    'a folder with a quote and a line break': ['pwd -P', [], {}, "it's\na folder"],
    'a missing folder': ['echo started', [], { cwd: '/nowhere/at/all' }],
    'a missing program': ['echo started', [], { env: { PATH: '/nowhere' } }],
  }
  it.each(Object.keys(rows))('%s', async (name) => {
    const [script, args, call, folder] = rows[name]!
    const bare = ({ error, ...rest }: GitRun) => ({ ...rest, error: error?.code })
    const alone = bare(await run(script, args, { ...call, isQuery: false }, folder))
    expect(bare(await run(script, args, call, folder))).toEqual(alone)
  })
})

const parentOf = (script: string): Promise<string> => run(`${script} echo $PPID`).then(({ out }) => out.trim())
const isAlive = (pid: string): boolean => readdirSync('/proc').includes(pid)

describe('the shared shell', () => {
  it('starts one call after another, and calls at the same time in parallel', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it reads processes from /proc')
    const first = await parentOf('')
    expect(await parentOf('')).toBe(first)
    const meeting = join(root, 'meeting')
    const wait = (own: string, other: string): string =>
      `touch '${meeting}-${own}'; while [ ! -e '${meeting}-${other}' ]; do sleep 0.01; done;`
    const both = await Promise.all([parentOf(wait('a', 'b')), parentOf(wait('b', 'a'))])
    expect(new Set(both).size).toBe(2)
  })

  it('ends soon after the last call', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it reads processes from /proc')
    const shell = await parentOf('')
    await expect.poll(() => isAlive(shell)).toBe(false)
  })

  it('ends before this process is suspended, and the next call gets another one', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it reads processes from /proc')
    const shell = await parentOf('')
    endIdleShells()
    expect(await parentOf('')).not.toBe(shell)
    await expect.poll(() => isAlive(shell)).toBe(false)
  })

  it('that was killed gives no answer, and the next call gets another one', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it reads processes from /proc')
    const place = join(root, 'left')
    expect(await run(`echo $$ > '${place}'; kill -9 $PPID; exec sleep 600`)).toMatchObject({ code: null })
    await expect.poll(() => isAlive(readFileSync(place, 'utf8').trim())).toBe(false)
    expect(await run('echo out')).toMatchObject({ code: 0, out: 'out\n' })
  })

  it('is not ended by the deadline of a git that was missing', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it reads processes from /proc')
    expect(await run('', [], { env: { PATH: '/nowhere' }, deadlineMs: 300 })).toMatchObject({ code: null })
    expect(await run('sleep 0.6; echo out')).toMatchObject({ code: 0, out: 'out\n' })
  })

  it('is ended together with a git that takes too long', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it reads processes from /proc')
    const place = join(root, 'pids')
    expect(await run(`echo $$ $PPID > '${place}'; sleep 600`, [], { deadlineMs: patience(1_000) })).toMatchObject({
      code: null,
      cut: 'late',
    })
    const pids = readFileSync(place, 'utf8').trim().split(' ')
    await expect.poll(() => pids.filter(isAlive)).toEqual([])
  })
})
