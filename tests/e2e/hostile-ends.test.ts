import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { decisionsOf, endOf, runHostile } from './hostile-run.ts'

/** Set EXITGATE_CODES=all to test every exit code. */
const CODES =
  process.env.EXITGATE_CODES === 'all'
    ? Array.from({ length: 255 }, (_, i) => i + 1)
    : [1, 2, 3, 10, 64, 70, 126, 127, 128, 130, 137, 143, 254, 255]

/** A required check that always passes, so only the claim matters. */
const PROVEN = {
  config: { required: ['build'], commands: { build: 'true' }, run: { graceSeconds: 1 } },
  files: { 'package.json': '{}' },
}
/** Longer on a slow machine, where agents need more time to start. */
const minutes = (ms: number): string => String(patience(ms) / 60_000)
const HANG = 'setInterval(() => {}, 1000)'
const CHATTER = "setInterval(() => console.log('still here'), 100)"

/** All of these claim with proof. They run one after the other in one run. */
const ENDS: readonly (readonly [name: string, agent: string, failed: RegExp])[] = [
  ['kills itself', "process.kill(process.pid, 'SIGKILL')", /^the agent was killed by SIGKILL$/],
  ['is aborted', 'process.abort()', /^the agent was killed by SIGABRT/],
  ['throws', "throw new Error('no more')", /^the agent exited with code 1/],
  [
    'closes its streams and fails',
    'fs.closeSync(1); fs.closeSync(2); process.exitCode = 1',
    /^the agent exited with code 1$/,
  ],
  ['falls silent', HANG, /^the agent was stopped because it printed nothing for too long$/],
  ['falls silent and ignores SIGTERM', `process.on('SIGTERM', () => {}); ${HANG}`, /printed nothing for too long$/],
  ['stops itself', "process.kill(process.pid, 'SIGSTOP')", /printed nothing for too long$/],
  ['never stops talking', CHATTER, /^the agent was stopped after \d+ seconds \(time limit\)$/],
]

describe('a claim with proof does not count if the agent', () => {
  it('exits with a code other than 0', { timeout: patience(600_000) }, async () => {
    const agent = `put('work.txt', 'iteration ' + n); claim(); process.exitCode = ${JSON.stringify([...CODES, 0])}[n - 1]`
    const { project, ran, seen } = await runHostile(agent, { ...PROVEN, args: ['--max-iterations', '300'] })
    expect(ran.code, seen).toBe(0)
    expect(endOf(project)).toBe('completed/verified')
    const decided = decisionsOf(project)
    const reasons = CODES.map((code) => `the agent exited with code ${code}`)
    expect(decided.map(({ observation }) => observation.failed?.reason)).toEqual([...reasons, undefined])
    expect(decided.map(({ verdict }) => verdict.action)).toEqual([...CODES.map(() => 'continue'), 'stop'])
    for (const reason of reasons) expect(seen).toContain(reason)
  })

  it('crashes, hangs or never stops talking', { timeout: patience(300_000) }, async () => {
    const cases = ENDS.map(([, agent], i) => `case ${i + 1}: { ${agent}\nbreak }`).join('\n')
    const { project, ran, seen } = await runHostile(
      `put('work.txt', 'iteration ' + n); claim(); await sleep(20)\nswitch (n) {\n${cases}\n}`,
      {
        ...PROVEN,
        args: ['--max-iterations', '20', '--silence-minutes', minutes(3_000), '--iteration-minutes', minutes(5_000)],
      },
    )
    expect(ran.code, seen).toBe(0)
    const decided = decisionsOf(project)
    for (const [i, [name, , failed]] of ENDS.entries()) {
      const { verdict, observation } = decided[i]!
      expect([name, verdict.action], seen).toEqual([name, 'continue'])
      expect(observation.failed?.reason, name).toMatch(failed)
    }
    expect(decided).toHaveLength(ENDS.length + 1)
  })
})
