import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AGENTS } from '../../scripts/install-agents.mjs'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import { MCP_SERVER } from '../../src/agents/launch/launcher.ts'
import { read } from '../../src/core/signals/read.ts'
import { environmentOf } from '../../src/inbox/attempt.ts'
import { openInbox, readInbox } from '../../src/inbox/inbox.ts'
import { withInbox } from '../../src/inbox/merge.ts'
import { program } from '../e2e/program.ts'
import { patience } from '../timing.ts'
import { missingAgent } from './installed.ts'
import type { ScriptedTool } from './model/turn.ts'
import { openRig } from './rig.ts'

const cli = await program()

/** Runs a real agent as the loop would. Its model makes one tool call, then says goodbye. */
async function signalled(agent: string, tool: ScriptedTool, mcp: boolean) {
  const state = mkdtempSync(join(tmpdir(), 'exitgate-signals-'))
  const rig = await openRig(agent, [{ tools: [tool] }, { text: 'Goodbye.' }])
  onTestFinished(async () => {
    await rig.close()
    rmSync(state, { recursive: true, force: true })
  })
  const address = openInbox(state, { run: 'r-1', iteration: 2 })
  const env = environmentOf(address)
  const server = { command: process.execPath, args: [cli, 'mcp'], env: Object.keys(env) }
  if (mcp && agent === 'gemini') {
    const { command, args } = server
    mkdirSync(join(rig.workspace, '.gemini'))
    const settings = { mcpServers: { [MCP_SERVER]: { command, args, trust: true } } }
    writeFileSync(join(rig.workspace, '.gemini', 'settings.json'), JSON.stringify(settings))
  }
  const { transcript, stdout, stderr } = await rig.run(mcp ? { mcp: server } : {}, { env })
  expect(transcript.final, stdout + stderr).toContain('Goodbye.')
  const declared = JSON.stringify(rig.model.requests[0]?.body.tools)
  return { transcript, inbox: readInbox(address.inbox, address), printed: stdout + stderr, declared }
}

const call = (input: object): ScriptedTool => ({ mcp: { server: MCP_SERVER, tool: 'exit_signal', input } })
/** ACP agents get their prompt over the protocol: acp.test.ts. */
const streaming = LAUNCHERS.filter(({ name, format }) => name in AGENTS && format !== 'acp')
const agents = [...streaming.map(({ name }) => name), 'pi-newest']
/** Gemini reads MCP servers only from its settings files, so this test writes one. */
const mcpAgents = [
  ...streaming.filter(({ mcp, name }) => mcp || name === 'gemini').map(({ name }) => name),
  'claude-newest',
]

describe('a real agent', { timeout: patience(180_000) }, () => {
  it.for(mcpAgents)(
    '%s calls exit_signal: the call in the stream and the inbox count as one claim',
    async (agent, { skip }) => {
      const missing = missingAgent(agent)
      skip(missing !== undefined, missing)
      const signal = { status: 'complete', reason: 'the kettle is repaired', remaining_work: 'none' }
      const { transcript, inbox, printed, declared } = await signalled(agent, call(signal), true)
      // Newer versions of Claude Code would let the model search for it first. Codex does, and has no setting for it.
      if (agent !== 'codex') expect(declared).toContain('exit_signal')
      expect(inbox, printed).toEqual({ signals: [signal], refused: [] })
      expect(transcript.toolSignals).toEqual([signal])
      const merged = withInbox(transcript, inbox.signals)
      expect(merged.toolSignals).toEqual([signal])
      expect(read(merged)).toMatchObject({ claim: true, source: 'tool', vetoes: [] })
    },
  )

  it.for(mcpAgents)(
    '%s calls exit_signal with wrong arguments: that does not count as a claim',
    async (agent, { skip }) => {
      const missing = missingAgent(agent)
      skip(missing !== undefined, missing)
      const { transcript, inbox } = await signalled(agent, call({ status: 'done' }), true)
      expect([transcript.toolSignals, inbox.signals]).toEqual([[], []])
    },
  )

  it.for(agents)('%s reports remaining work from its shell', async (agent, { skip }) => {
    const missing = missingAgent(agent)
    skip(missing !== undefined, missing)
    const shell = `'${process.execPath}' '${cli}' signal continue --remaining 'the lid'`
    const { transcript, inbox, printed } = await signalled(agent, { shell }, false)
    expect(inbox, printed).toEqual({ signals: [{ status: 'continue', remaining_work: 'the lid' }], refused: [] })
    expect(read(withInbox(transcript, inbox.signals))).toMatchObject({ claim: false, source: 'tool' })
  })
})
