import { describe, expect, it } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { patience } from '../timing.ts'
import type { Turn } from './model/turn.ts'
import { realRun } from './real-run.ts'

/** Input tokens that cost three cents: as the agent itself reports it, or at list prices. */
const rows: readonly { readonly agent: string; readonly input: number }[] = [
  { agent: 'claude', input: 6_000 },
  { agent: 'codex', input: 6_000 },
  { agent: 'gemini', input: 24_000 },
  { agent: 'opencode', input: 30_000 },
  { agent: 'pi', input: 30_000 },
  { agent: 'pi-newest', input: 30_000 },
]

interface Ended {
  readonly usage: { readonly usd?: number }
}

describe('a limit in dollars with a real agent', { timeout: patience(180_000) }, () => {
  it.for(rows)('$agent stops in the iteration that reaches it', async ({ agent, input }, { skip }) => {
    const { missing } = agentProgram(agent)
    skip(missing !== undefined, missing)
    const turn = { text: 'Two leaks are left.', usage: { input, output: 0 } }
    const { lines, stdout, stderr } = await realRun(agent, [turn], { args: ['--max-cost', '0.05'] })
    const costs = lines.flatMap(({ type, result }) => (type === 'agent-ended' ? (result as Ended).usage.usd : []))
    expect(costs, stdout + stderr).toEqual([expect.closeTo(0.03, 5), expect.closeTo(0.03, 5)])
    expect(lines.at(-1)).toMatchObject({ type: 'ended', outcome: 'aborted', ending: 'cost' })
  })
})

/** The same input with every request, and a limit that the sum of all reports would reach long before. */
const work = (n: number): readonly Turn[] => [
  { text: 'Looking.', tools: [{ shell: `echo ${n} >> notes.txt` }], usage: { input: 6_000, output: 5 } },
  { text: 'Two leaks are left.', usage: { input: 6_000, output: 5 } },
]

describe('what a real agent used', { timeout: patience(180_000) }, () => {
  it.for(['claude', 'claude-newest', 'codex', 'opencode', 'pi', 'pi-newest'])(
    '%s: each start of a continued session counts once',
    async (agent, { skip }) => {
      const { missing } = agentProgram(agent)
      skip(missing !== undefined, missing)
      const args = ['--continue-session', '--max-iterations', '3', '--max-tokens', '60000']
      const { lines, stdout, stderr } = await realRun(agent, [...work(1), ...work(2), ...work(3)], { args })
      const spent = lines.flatMap(({ observation }) => (observation as Observed | undefined)?.spent.tokens ?? [])
      expect(spent, stdout + stderr).toEqual([12_010, 12_010, 12_010])
      expect(lines.at(-1)).toMatchObject({ type: 'ended', ending: 'iterations' })
    },
  )

  it.for(['claude-newest', 'codex', 'pi', 'pi-newest'])(
    '%s: a start that the time limit ended counts',
    async (agent, { skip }) => {
      const { missing } = agentProgram(agent)
      skip(missing !== undefined, missing)
      const turn = { text: 'Looking.', tools: [{ shell: 'true' }], usage: { input: 6_000, output: 0 } }
      const args = ['--silence-minutes', '0.1', '--max-iterations', '2', '--max-cost', '100']
      const { lines, stdout, stderr } = await realRun(agent, [turn, { silent: true }, turn, { silent: true }], { args })
      const spent = lines.flatMap(({ observation }) => (observation as Observed | undefined)?.spent ?? [])
      const price = agent.startsWith('pi') ? 1 : agent === 'codex' ? 5 : 4
      const each = { tokens: expect.closeTo(6_000, -1), usd: expect.closeTo((6_000 * price) / 1e6, 3) }
      expect(spent, stdout + stderr).toMatchObject([each, each])
      expect(stdout).not.toContain("can't count that start")
    },
  )
})

interface Observed {
  readonly spent: { readonly tokens: number; readonly usd: number }
}
