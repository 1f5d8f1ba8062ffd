import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runTests } from '../../src/evidence/run-tests.ts'
import { scrubbed } from '../../src/evidence/scrub-environment.ts'
import { runCommand } from '../../src/system/run-command.ts'

const dir = mkdtempSync(join(tmpdir(), 'exitgate-run-tests-'))
afterAll(() => rmSync(dir, { recursive: true }))

const rows: [name: string, command: string, answer: string, says: RegExp][] = [
  ['green', 'echo "3 passed in 0.10s"', 'yes', /3 of 3 tests passed, 0 failed \(pytest\)/],
  ['green on the error stream', 'echo "3 passed in 0.10s" >&2', 'yes', /3 of 3/],
  ['red', 'printf "1..2\\nok 1 a\\nnot ok 2 b\\n"; exit 1', 'no', /exited with 1\. 1 of 2 .* Failing: b\./],
  ['red with exit 0', 'printf "1..1\\nnot ok 1 b\\n"', 'no', /exited with 0/],
  ['green with exit 1', 'echo "3 passed in 0.10s"; exit 1', 'no', /exited with 1 although/],
  ['exit 0 alone', 'true', 'unknown', /exited with 0, and its output names no test results/],
  ['exit 1 alone', 'exit 1', 'unknown', /exited with 1, and its output names no/],
  ['zero tests', 'echo "no tests ran in 0.01s"; exit 5', 'unknown', /does not show that tests passed/],
  ['only skipped', 'echo "2 skipped in 0.01s"', 'unknown', /does not show that tests passed/],
  ['not found', 'exitgate-no-such-runner', 'unknown', /could not be found or run/],
  ['killed', 'echo "3 passed in 0.10s"; kill -9 $$', 'unknown', /killed by a signal/],
  ['CI is set', 'echo "$CI passed" | sed s/true/2/; echo "in 1s"', 'yes', /2 of 2/],
]

describe('the tests check', () => {
  it.each(rows)('%s', async (_name, command, answer, says) => {
    const evidence = await runTests(dir, command, { deadlineMs: 30_000, tree: 't' })
    expect(evidence).toMatchObject({ check: 'tests', answer, tree: 't' })
    expect(evidence.detail).toMatch(says)
  })

  it('runs in the directory it is given', async () => {
    writeFileSync(join(dir, 'result.txt'), '4 passed in 0.10s\n')
    expect(await runTests(dir, 'cat result.txt', { deadlineMs: 30_000 })).toMatchObject({
      answer: 'yes',
      counts: { total: 4, passed: 4, failed: 0, skipped: 0 },
    })
  })

  it('needs the directory to exist', async () => {
    const evidence = await runTests(join(dir, 'nowhere'), 'true', { deadlineMs: 30_000 })
    expect(evidence).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('could not be started') })
  })
})

const alive = (pid: number) => {
  try {
    process.kill(pid, 0)
    // A zombie that nobody has collected yet is not alive.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
const pids = (name: string) => readFileSync(join(dir, name), 'utf8').trim().split('\n').map(Number)

describe.runIf(process.platform === 'linux')('the deadline', () => {
  /** Each leaves its process ids behind, then sleeps for longer than any test may take. */
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
    const file = `${name.replaceAll(' ', '-')}.pids`
    const command = script.replaceAll('PIDS', file)
    const evidence = await runTests(dir, command, { deadlineMs: 700, graceMs: 200 })
    expect(evidence).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('did not finish within 1 s') })
    await expect.poll(() => pids(file).filter(alive)).toEqual([])
  })

  it('does not hide a failure that was already printed', async () => {
    const command = 'printf "1..2\\nnot ok 1 a\\n"; exec sleep 600'
    expect((await runTests(dir, command, { deadlineMs: 500, graceMs: 100 })).answer).toBe('no')
  })

  it('is not needed when the caller gives up first', async () => {
    const controller = new AbortController()
    const running = runTests(dir, 'echo $$ > aborted.pids; exec sleep 600', {
      deadlineMs: 600_000,
      graceMs: 100,
      signal: controller.signal,
    })
    setTimeout(() => controller.abort(), 300)
    expect(await running).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('interrupted') })
    await expect.poll(() => pids('aborted.pids').filter(alive)).toEqual([])
  })

  it('does not wait for a server that was left behind, and ends it', async () => {
    const command = 'sleep 600 & echo $! > server.pids; echo "3 passed in 0.10s"'
    expect((await runTests(dir, command, { deadlineMs: 600_000 })).answer).toBe('yes')
    await expect.poll(() => pids('server.pids').filter(alive)).toEqual([])
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

  it('is cut nowhere when it fits', async () => {
    const result = await runCommand(dir, noise, { deadlineMs: 30_000, env: scrubbed(process.env) })
    expect(result.cut).toBe(0)
    expect(result.output.split('\n')).toHaveLength(3001)
  })

  it('that lost its middle cannot say that tests are missing', async () => {
    const points =
      "node -e \"console.log('1..3000'); for (let i = 1; i <= 3000; i++) console.log('ok ' + i + ' ' + 'x'.repeat(99))\""
    const evidence = await runTests(dir, points, { deadlineMs: 30_000, maxBytes: 40_000 })
    expect(evidence).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('too long') })
  })
})
