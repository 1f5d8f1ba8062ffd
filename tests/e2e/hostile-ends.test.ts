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
const HANG = 'exec sleep 600'
const CHATTER = 'while :; do echo still here; sleep 0.1; done'

/** All of these claim with proof. They run one after the other in one run. */
const ENDS: readonly (readonly [name: string, agent: string, failed: RegExp])[] = [
  ['kills itself', 'kill -KILL $$', /^the agent was killed by SIGKILL$/],
  ['is aborted', 'kill -ABRT $$', /^the agent was killed by SIGABRT/],
  ['throws', `exec ${process.execPath} -e "throw new Error('no more')"`, /^the agent exited with code 1/],
  ['closes its streams and fails', 'exec >&- 2>&-; exit 1', /^the agent exited with code 1$/],
  ['falls silent', HANG, /^the agent was stopped because it printed nothing for too long$/],
  ['falls silent and ignores SIGTERM', `trap '' TERM; ${HANG}`, /printed nothing for too long$/],
  ['stops itself', 'kill -STOP $$', /printed nothing for too long$/],
  ['never stops talking', CHATTER, /^the agent was stopped after \d+ seconds? \(time limit\)$/],
]

describe('a claim with proof does not count if the agent', () => {
  it('exits with a code other than 0', { timeout: patience(600_000) }, async () => {
    const agent = `echo "iteration $n" > work.txt; claim\nset -- ${CODES.join(' ')} 0\nshift $((n - 1)); exit $1\n`
    const { project, ran, seen } = await runHostile(agent, { ...PROVEN, args: ['--max-iterations', '300'] })
    expect(ran.code, seen).toBe(0)
    expect(endOf(project)).toBe('completed/passed')
    const decided = decisionsOf(project)
    const reasons = CODES.map((code) => `the agent exited with code ${code}`)
    expect(decided.map(({ observation }) => observation.failed?.reason)).toEqual([...reasons, undefined])
    expect(decided.map(({ verdict }) => verdict.action)).toEqual([...CODES.map(() => 'continue'), 'stop'])
    for (const reason of reasons) expect(seen).toContain(reason)
  })

  it('crashes, hangs or never stops talking', { timeout: patience(300_000) }, async () => {
    const cases = ENDS.map(([, agent], i) => `${i + 1}) ${agent} ;;`).join('\n')
    const { project, ran, seen } = await runHostile(
      `echo "iteration $n" > work.txt; claim\ncase $n in\n${cases}\nesac\n`,
      {
        ...PROVEN,
        args: ['--max-iterations', '20', '--silence-minutes', minutes(1_500), '--iteration-minutes', minutes(3_000)],
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
