import { describe, expect, it } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { patience } from '../timing.ts'
import { KETTLE, realRun } from './real-run.ts'
import { DONE } from './rows.ts'

const SERVER = 'node -e "setInterval(() => {}, 1000)" kettle-server'

describe('a real agent that does not end by itself', { timeout: patience(300_000) }, () => {
  it.for(['off', 'auto'])(
    'claude waits for a server in the background: its result counts, and the server is named (sandbox %s)',
    async (sandbox, { skip }) => {
      const { missing } = agentProgram('claude-newest')
      skip(missing !== undefined, missing)
      const input = { command: SERVER, description: 'start the server', run_in_background: true }
      const work = { shell: "echo 'export const boils = (degrees) => degrees >= 100' > kettle.js" }
      const turns = [
        { text: 'Starting the server.', tools: [{ call: { name: 'Bash', input } }] },
        { text: 'Repairing it.', tools: [work] },
        { text: DONE },
      ]
      const files = { ...KETTLE, 'exitgate.config.json': JSON.stringify({ run: { graceSeconds: 2 } }) }
      const { code, lines, stdout, stderr } = await realRun('claude-newest', turns, { files, sandbox })
      const { verdict } = lines.find(({ type }) => type === 'decided') as { verdict: { reason: string } }
      expect(verdict.reason, stdout + stderr).toMatch(
        /^Verified: .* exitgate ended what the agent left running: node -e setInterval.* kettle-server\.$/,
      )
      expect(code).toBe(0)
    },
  )

  it('opencode asks its model again and again whether the prompt is still too long', async ({ skip }) => {
    const { missing } = agentProgram('opencode')
    skip(missing !== undefined, missing)
    const error = { status: 400, message: 'prompt is too long: 300000 tokens > 200000 maximum' }
    const { rig, lines, stdout, stderr } = await realRun('opencode', [{ error }], { args: ['--max-iterations', '1'] })
    const ended = lines.find(({ type }) => type === 'agent-ended')?.result
    expect(ended, stdout + stderr).toMatchObject({ ended: 'runaway' })
    expect(rig.model.requests.length).toBeLessThan(300)
    expect(lines.at(-1)).toMatchObject({ end: { reason: expect.stringContaining('50 requests to its model') } })
  })

  it("codex says at once that its own sandbox can't start in exitgate's", async ({ skip }) => {
    const { missing } = agentProgram('codex')
    skip(missing !== undefined, missing)
    skip(process.getuid?.() !== 0, 'its sandbox starts for other users')
    const turns = [{ text: 'Repairing it.', tools: [{ shell: 'true' }] }, { text: 'No command works.' }]
    const agentArgs = ['--skip-git-repo-check', '--sandbox', 'workspace-write']
    const { lines, stdout, stderr } = await realRun('codex', turns, { sandbox: 'auto', agentArgs })
    skip(!lines.some(({ sandbox }) => sandbox === 'bubblewrap'), 'needs bubblewrap')
    const end = lines.at(-1)?.end as { reason: string }
    expect(end, stdout + stderr).toMatchObject({ ending: 'fatal', cause: 'setup', iterations: 0 })
    expect(end.reason).toMatch(/^the agent's own sandbox can't start in exitgate's: bwrap: setting up uid map: /)
  })
})
