import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../src/core/types.ts'
import { collectTests } from '../../src/evidence/checks/tests.ts'
import { runTestCommand } from '../../src/evidence/runners/run.ts'
import { scrubbed } from '../../src/evidence/scrub-environment.ts'
import type { RunOptions } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { runCommand } from '../../src/system/run-command.ts'
import { isGone } from '../is-gone.ts'
import { folder } from './folders.ts'

const dir = folder()
/** Outside the workspace, whose files must not change while its tests run. */
const outside = folder()

/** The `tests` check with a real command in a real folder. */
async function ask(command: string, { maxBytes, ...limits }: Partial<RunOptions> = {}, where = dir): Promise<Evidence> {
  const { evidence } = await collectTests(
    {
      commands: [{ kind: 'test', command, cwd: '', why: 'a sample' }],
      run: (detected, options, workspace) =>
        runTestCommand(workspace, detected, { ...options, ...(maxBytes !== undefined && { maxBytes }) }),
    },
    { workspace: openWorkspace(where), claim: false, tree: 't', taskTexts: [], deadlineMs: 30_000, ...limits },
  )
  return evidence[0]!
}

describe('a test command', () => {
  const rows: [name: string, command: string, answer: string, says: RegExp][] = [
    ['passing', 'echo "3 passed in 0.10s"', 'yes', /^3 of 3 tests pass\./],
    ['passing on the error stream', 'echo "3 passed in 0.10s" >&2', 'yes', /3 of 3/],
    ['failing', 'printf "1..2\\nok 1 a\\nnot ok 2 b\\n"; exit 1', 'no', /^1 of 2 tests fail\. Failing: "b"/],
    ['failing with exit 0', 'printf "1..1\\nnot ok 1 b\\n"', 'no', /exited with 0, but tests failed/],
    [
      'passing with exit 1',
      'echo "3 passed in 0.10s"; exit 1',
      'no',
      /exited with 1, but no test is reported as failed/,
    ],
    ['exit 0 alone', 'true', 'unknown', /exited with 0, but its output shows no test results/],
    ['exit 1 alone', 'exit 1', 'unknown', /exited with 1, but its output shows no test results/],
    ['zero tests', 'echo "no tests ran in 0.01s"; exit 5', 'unknown', /no test passed/],
    ['only skipped', 'echo "2 skipped in 0.01s"', 'unknown', /no test passed/],
    ['not found', 'exitgate-no-such-runner', 'unknown', /could not be found or run/],
    ['killed', 'echo "3 passed in 0.10s"; kill -9 $$', 'unknown', /killed by a signal/],
    ['CI is set', 'echo "$CI passed" | sed s/true/2/; echo "in 1s"', 'yes', /2 of 2/],
  ]
  it.each(rows)('%s', async (_name, command, answer, says) => {
    const evidence = await ask(command)
    expect(evidence).toMatchObject({ check: 'tests', answer, tree: 't' })
    expect(evidence.detail).toMatch(says)
  })

  it('runs in the workspace', async () => {
    writeFileSync(join(dir, 'result.txt'), '4 passed in 0.10s\n')
    expect(await ask('cat result.txt')).toMatchObject({
      answer: 'yes',
      counts: { total: 4, passed: 4, failed: 0, skipped: 0 },
    })
  })

  it('needs the workspace to exist', async () => {
    expect(await ask('true', {}, join(dir, 'nowhere'))).toMatchObject({
      answer: 'unknown',
      detail: expect.stringContaining('could not be started'),
    })
  })
})

const pids = (file: string) => readFileSync(file, 'utf8').trim().split('\n').map(Number)

/** Tries a longer deadline as long as the command could not do what it should before it. */
async function withDeadlines(attempt: (deadlineMs: number) => Promise<boolean>): Promise<void> {
  for (let deadlineMs = 700; !(await attempt(deadlineMs)); ) deadlineMs *= 2
}

describe.runIf(process.platform === 'linux')('the deadline', () => {
  /** Each writes its process ids to PIDS, then sleeps for longer than any test may take. */
  const stubborn: [name: string, script: string][] = [
    ['a plain command', 'echo $$ > PIDS; exec sleep 600'],
    ['children', 'sleep 600 & echo $! > PIDS; sleep 600 & echo $! >> PIDS; echo $$ >> PIDS; wait'],
    [
      'one that ignores the polite signal',
      'trap "" TERM; sleep 600 & echo $! > PIDS; echo $$ >> PIDS; wait; sleep 600',
    ],
    ['one that left the group', 'setsid sleep 600 & echo $! > PIDS; echo $$ >> PIDS; wait'],
  ]
  it.each(stubborn)('ends %s', async (name, script) => {
    const file = join(outside, `${name}.pids`)
    const all = script.split('PIDS').length - 1
    await withDeadlines(async (deadlineMs) => {
      const evidence = await ask(script.replaceAll('PIDS', `"${file}"`), { deadlineMs })
      expect(evidence).toMatchObject({
        answer: 'unknown',
        detail: expect.stringMatching(/did not finish within \d+ s/),
      })
      if (!existsSync(file)) return false
      await expect.poll(() => pids(file).every(isGone)).toBe(true)
      return pids(file).length === all
    })
  })

  it('does not hide a failure that was already printed', async () => {
    const file = join(outside, 'printed')
    const command = `printf "1..2\\nnot ok 1 a\\n"; : > "${file}"; exec sleep 600`
    await withDeadlines(async (deadlineMs) => {
      const { answer } = await ask(command, { deadlineMs })
      if (!existsSync(file)) return false
      expect(answer).toBe('no')
      return true
    })
  })

  it('is not needed if the caller aborts first', async () => {
    const controller = new AbortController()
    const file = join(outside, 'aborted.pids')
    const running = ask(`echo $$ > "${file}"; exec sleep 600`, { deadlineMs: 600_000, signal: controller.signal })
    await expect.poll(() => existsSync(file)).toBe(true)
    controller.abort()
    expect(await running).toMatchObject({
      answer: 'unknown',
      detail: expect.stringContaining('stopped before it finished'),
    })
    await expect.poll(() => pids(file).every(isGone)).toBe(true)
  })

  it('is not used up by a server left running, and the server is stopped', async () => {
    const file = join(outside, 'server.pids')
    const command = `sleep 600 & echo $! > "${file}"; echo "3 passed in 0.10s"`
    expect((await ask(command, { deadlineMs: 600_000 })).answer).toBe('yes')
    await expect.poll(() => pids(file).every(isGone)).toBe(true)
  })
})

describe('long output', () => {
  const noise = 'node -e "for (let i = 0; i < 3000; i++) console.log(\'noise \'.repeat(20) + i)"'

  it('keeps both ends', async () => {
    const result = await runCommand(dir, `echo FIRST; ${noise}; echo LAST`, {
      deadlineMs: 30_000,
      maxBytes: 40_000,
      env: scrubbed(process.env),
    })
    expect(result.output.startsWith('FIRST\n')).toBe(true)
    expect(result.output.endsWith('LAST\n')).toBe(true)
    expect(result.cut).toBeGreaterThan(0)
    expect(result.output.length).toBeLessThan(200_000)
    expect(result.output).toContain(`[${result.cut} bytes left out]`)
  })

  it('is not cut if it fits', async () => {
    const result = await runCommand(dir, noise, { deadlineMs: 30_000, env: scrubbed(process.env) })
    expect(result.cut).toBe(0)
    expect(result.output.split('\n')).toHaveLength(3001)
  })

  it('that lost its middle does not make tests missing', async () => {
    const points =
      "node -e \"console.log('1..3000'); for (let i = 1; i <= 3000; i++) console.log('ok ' + i + ' ' + 'x'.repeat(99))\""
    expect(await ask(points, { maxBytes: 40_000 })).toMatchObject({
      answer: 'unknown',
      detail: expect.stringContaining('too long'),
    })
  })
})
