import { describe, expect, it } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { patience } from '../timing.ts'
import { realRun } from './real-run.ts'

/** Input tokens that cost three cents: as the agent itself reports it, or at list prices. */
const rows: readonly { readonly agent: string; readonly input: number }[] = [
  { agent: 'claude', input: 6_000 },
  { agent: 'codex', input: 6_000 },
  { agent: 'gemini', input: 24_000 },
  { agent: 'opencode', input: 30_000 },
  { agent: 'pi', input: 30_000 },
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
