import { agentProgram } from '../../scripts/install-agents.mjs'

/** They take minutes together, so they run only with all rows. */
const MORE_AGENTS = ['qwen', 'qwen-newest', 'copilot', 'droid', 'goose', 'kimi']

export const ALL_ROWS = process.env.EXITGATE_AGENT_ROWS === 'all'
export const SLOW = 'slow: set EXITGATE_AGENT_ROWS=all'

/** Why the rows of this agent can't run; undefined if they can. */
export function missingAgent(name: string): string | undefined {
  const { missing } = agentProgram(name)
  return missing ?? (MORE_AGENTS.includes(name) && !ALL_ROWS ? SLOW : undefined)
}
