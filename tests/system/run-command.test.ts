import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { scrubbed } from '../../src/evidence/scrub-environment.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { type CommandOptions, runCommand as run } from '../../src/system/run-command.ts'
import { compile } from '../evidence/compiled.ts'
import { folder } from '../evidence/folders.ts'
import { isGone } from '../is-gone.ts'
import { patience } from '../timing.ts'

const runCommand = (dir: string, command: string | readonly string[], options: Omit<CommandOptions, 'env'>) =>
  run(dir, command, { ...options, env: scrubbed(process.env) })

const dir = folder()
const onLinux = process.platform === 'linux'
const pidsIn = (file: string) =>
  existsSync(join(dir, file)) ? (readFileSync(join(dir, file), 'utf8').match(/\d+/g) ?? []).map(Number) : []

/** Runs a command that hangs, and cancels it once it has written its pids to the file. */
async function givenUp(command: string, file: string, graceMs: number) {
  const controller = new AbortController()
  const running = runCommand(dir, command, { deadlineMs: 600_000, graceMs, signal: controller.signal })
  await expect.poll(() => pidsIn(file).length).toBe(1)
  controller.abort()
  return running
}

/** Each writes its pids to PIDS and would then run longer than any test may. */
const escapes: [name: string, script: string][] = [
  ['a child', 'sleep 600 & echo $! > PIDS'],
  ['its own session', 'setsid sleep 600 & echo $! > PIDS; sleep 0.1'],
  ['its own session, with its parent gone', "setsid sh -c 'sleep 600 & echo $! > PIDS'"],
  [
    'a daemon without terminal and streams',
    "setsid sh -c 'setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $! > PIDS' &\nuntil [ -s PIDS ]; do sleep 0.01; done",
  ],
  ['one that ignores SIGTERM', "trap '' TERM; sh -c 'sleep 600' & echo $! > PIDS"],
  ['one without environment, in the group', 'env -i sleep 600 & echo $! > PIDS'],
]

it('keeps the order of both streams in one pipe', async () => {
  const script = 'i=0; while [ $i -lt 200 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done'
  const { output } = await runCommand(dir, script, { deadlineMs: 30_000, oneStream: true })
  const expected = Array.from({ length: 200 }, (_, i) => `out ${i}\nerr ${i}\n`).join('')
  expect(output).toBe(expected)
})

describe('no process outlives a command', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'the processes are told from the dead by /proc'))

  it.each(escapes)('that ends and leaves: %s', async (name, script) => {
    const file = `left ${name}`
    const result = await runCommand(dir, script.replaceAll('PIDS', `"${file}"`), { deadlineMs: 30_000 })
    expect(result).toMatchObject({ code: 0, ended: 'exit' })
    expect(pidsIn(file)).not.toEqual([])
    expect(pidsIn(file).map(isGone)).toEqual(pidsIn(file).map(() => true))
  })

  it.each([...escapes, ['one without environment, out of the group', 'env -i setsid sleep 600 & echo $! > PIDS']])(
    'that hangs with: %s',
    async (name, script) => {
      const file = `hung ${name}`
      const result = await givenUp(`${script.replaceAll('PIDS', `"${file}"`)}\nsleep 600`, file, 200)
      expect(result.ended).toBe('aborted')
      expect(pidsIn(file).map(isGone)).toEqual([true])
    },
  )

  it('gets the grace period to clean up', async () => {
    const script = 'trap "echo cleared up > cleared; exit 0" TERM; sleep 600 & echo $! > polite; wait'
    expect((await givenUp(script, 'polite', 20_000)).ended).toBe('aborted')
    expect(readFileSync(join(dir, 'cleared'), 'utf8')).toBe('cleared up\n')
  })

  it('that exceeds its time limit', async () => {
    const result = await runCommand(dir, 'echo said; exec sleep 600', { deadlineMs: 300, graceMs: 100 })
    expect(result).toMatchObject({ code: null, ended: 'deadline' })
  })

  it('leaves unrelated processes alone', async () => {
    const other = spawn('sleep', ['600'], { env: { EXITGATE_CHECK: 'somebody-else' }, detached: true })
    await runCommand(dir, 'true', { deadlineMs: 30_000 })
    expect(isGone(other.pid!)).toBe(false)
    other.kill('SIGKILL')
  })

  it('finds processes that a nested exitgate started', async () => {
    const entry = compile(join(dir, 'compiled'), 'src/evidence/workspace.ts')
    const inner = `setsid sleep 600 & echo $! > "inner pids"; sleep 600`
    const script = `"${process.execPath}" "${runner}" "${entry}" . '${inner}' 60000`
    // The inner exitgate is killed and can't clean up.
    expect((await givenUp(script, 'inner pids', 0)).ended).toBe('aborted')
    expect(pidsIn('inner pids').map(isGone)).toEqual([true])
  })
})

const runner = join(import.meta.dirname, '../evidence/fixtures/runner.mjs')

describe('an interrupted exitgate', () => {
  beforeEach(({ skip }) => skip(!onLinux, 'the processes are told from the dead by /proc'))

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends its commands on %s', async (name) => {
    const entry = compile(join(dir, 'compiled'), 'src/evidence/workspace.ts')
    const file = `${name} pids`
    const command = `setsid sleep 600 & echo $! > "${file}"; echo $$ >> "${file}"; wait`
    const gate = spawn(process.execPath, [runner, entry, dir, command, '60000'], { stdio: 'ignore' })
    await expect.poll(() => pidsIn(file).length).toBe(2)
    gate.kill(name)
    const [, signal] = (await once(gate, 'exit')) as [number | null, string]
    expect(signal).toBe(name)
    await expect.poll(() => pidsIn(file).map(isGone)).toEqual([true, true])
  })
})

describe('streams', () => {
  it('of a gigabyte need bounded memory and keep both ends', { timeout: patience(300_000) }, () => {
    const entry = compile(join(dir, 'compiled'), 'src/evidence/workspace.ts')
    const command = 'echo FIRST; head -c 1000000000 /dev/zero | tr "\\0" x; echo; echo LAST'
    const done = spawnSync(process.execPath, [runner, entry, dir, command, '300000'], { encoding: 'utf8' })
    const { peakMb, ...ran } = JSON.parse(done.stdout) as { peakMb: number } & Record<string, unknown>
    expect(ran).toMatchObject({
      code: 0,
      ended: 'exit',
      start: `FIRST\n${'x'.repeat(14)}`,
      end: `${'x'.repeat(14)}\nLAST\n`,
    })
    expect(ran.cut).toBe(1_000_000_012 - 16 * 1024 * 1024)
    expect(peakMb).toBeLessThan(200)
  })

  it.each([
    [20, '0123456789012345678\n'],
    [21, '01\n[13 bytes left out]\n56789\n'],
    [26, '01\n[18 bytes left out]\n01234\n'],
    [33, '01\n[25 bytes left out]\n78901\n'],
  ])('of %i bytes when 20 are kept, and 8 of a longer one', async (size, expected) => {
    const script = `node -e "process.stdout.write('0123456789'.repeat(4).slice(0, ${size - 1}) + '\\n')"`
    const { output } = await runCommand(dir, script, { deadlineMs: 60_000, maxBytes: 20, cutTo: 8 })
    expect(output).toBe(expected)
  })

  it('of one byte at a time are kept too', async () => {
    const script =
      'node -e "const {writeSync} = require(\'fs\'); for (let i = 0; i < 20000; i++) writeSync(1, String(i % 10))"'
    const { output, cut } = await runCommand(dir, script, { deadlineMs: 60_000, maxBytes: 4_000 })
    expect(cut).toBe(16_000)
    expect(output).toBe(`${'0123456789'.repeat(100)}\n[16000 bytes left out]\n${'0123456789'.repeat(300)}`)
  })

  it('that are closed early do not end the command', async () => {
    const script = 'echo said; exec >&- 2>&-; sleep 0.2; exit 4'
    expect(await runCommand(dir, script, { deadlineMs: 30_000 })).toMatchObject({ code: 4, output: 'said\n' })
  })

  it('never mix within a line', async () => {
    const script = `node -e "
      const { writeSync } = require('fs')
      for (let i = 0; i < 300; i++) { writeSync(1, 'out '); writeSync(2, 'err '); writeSync(1, 'put\\n'); writeSync(2, 'or\\n') }"`
    const { output } = await runCommand(dir, script, { deadlineMs: 30_000 })
    const lines = output.trimEnd().split('\n')
    expect(lines).toHaveLength(600)
    expect(new Set(lines)).toEqual(new Set(['out put', 'err or']))
  })

  it('in UTF-16 are decoded', async () => {
    const script = `node -e "process.stdout.write(Buffer.from('\\ufeff3 passed, größer\\r\\n', 'utf16le'))"`
    expect((await runCommand(dir, script, { deadlineMs: 30_000 })).output).toBe('3 passed, größer\r\n')
  })

  it('that are not text are decoded as well as possible', async () => {
    const { output } = await runCommand(dir, "printf 'a\\000\\377b'", { deadlineMs: 30_000 })
    expect(output).toBe('a\0\ufffdb')
  })

  const inputs: [name: string, command: string, input: string | undefined, output: string][] = [
    ['is read', 'cat', 'größer\n', 'größer\n'],
    ['is empty', 'cat; echo end', '', 'end\n'],
    ['is absent', 'cat; echo end', undefined, 'end\n'],
    ['is not read', 'exec <&-; echo end', 'x'.repeat(1_000_000), 'end\n'],
  ]
  it.each(inputs)('input that %s', async (_name, command, input, output) => {
    const options = { deadlineMs: 30_000, ...(input !== undefined && { input }) }
    expect(await runCommand(dir, command, options)).toMatchObject({ code: 0, output })
  })
})

describe('commands that fail to start', () => {
  const rows: [name: string, command: string | string[], where: string, problem: string | RegExp][] = [
    ['no such program', ['exitgate-no-such'], dir, 'exitgate-no-such was not found'],
    ['no such folder', 'true', join(dir, 'nowhere'), /^the folder .*nowhere does not exist$/],
    ['an empty command', [], dir, 'the command is empty'],
    ['an empty name', ['', 'x'], dir, 'the command is empty'],
    ['a zero byte', ['echo', 'a\0b'], dir, /null bytes/],
    ['a folder', [dir], dir, /is not executable$/],
  ]
  it.each(rows)('%s', async (_name, command, where, problem) => {
    const result = await runCommand(where, command, { deadlineMs: 30_000 })
    expect(result).toMatchObject({ code: null, ended: 'not-started', output: '' })
    expect(result.problem).toMatch(problem)
  })
})

it('passes an argv unchanged', async () => {
  const args = ['a b', '$HOME', '"', "'", '*', '; exit 3', 'ü\n', '']
  const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
  const { output } = await runCommand(dir, [process.execPath, '-e', script, '--', ...args], { deadlineMs: 30_000 })
  expect(JSON.parse(output)).toEqual(args)
})

it('passes only the given environment', async () => {
  const env = {
    PATH: process.env.PATH,
    HOME: '/home/a',
    OPENAI_API_KEY: 'sk-1',
    NODE_OPTIONS: '--no-such',
    KEPT: 'yes',
  }
  const workspace = openWorkspace(dir, { env, allow: ['NODE_OPTIONS'] })
  const script = 'echo "$CI|$OPENAI_API_KEY|$NODE_OPTIONS|$KEPT|$ADDED"; echo $EXITGATE_CHECK | wc -w'
  const { output } = await workspace.run(script, { deadlineMs: 30_000, env: { ADDED: 'also' } })
  expect(output).toBe('true||--no-such|yes|also\n1\n')
})
