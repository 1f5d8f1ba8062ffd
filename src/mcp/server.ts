import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import { count } from '../../packages/core/src/count.ts'
import type { State } from '../core/journal/events.ts'
import { CONFIDENCES, type SignalFields, STATUSES, signalOf } from '../inbox/signal.ts'

/** Everything the tools can access. */
export interface Gate {
  readonly version: string
  /** Stores a signal until the iteration ends. Returns a sentence if that fails. */
  post(signal: SignalFields): string | undefined
  /** The journal's state, read without taking the lock. */
  state(): State
}

const ABOUT_SIGNAL =
  'Report your status before you end your turn: complete, continue or blocked. Report complete only if nothing is left to do and the tests pass. exitgate then checks the project itself.'
const ABOUT_STATUS = 'List what is still missing before the work counts as done. Read-only.'

/** Unknown fields are let through, so that the answer can mention them. */
const SIGNAL = z.looseObject({
  status: z.enum(STATUSES).describe('complete: everything is done. continue: work is left. blocked: you need the user'),
  reason: z.string().optional().describe('one sentence'),
  remaining_work: z.string().optional().describe('what is left to do, or "none"'),
  confidence: z.enum(CONFIDENCES).optional(),
})

/** Serves the two tools on standard input and output until the agent closes them. */
export async function serveMcp(gate: Gate): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
    process.stdin.once('error', () => resolve())
  })
  const handle = serveStdio(() => toolsOf(gate), { onerror: () => {} })
  await closed
  await handle.close()
}

function toolsOf(gate: Gate): McpServer {
  const server = new McpServer({ name: 'exitgate', version: gate.version })
  server.registerTool(
    'exit_signal',
    {
      title: 'Report your status',
      description: ABOUT_SIGNAL,
      inputSchema: SIGNAL,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    (given) => recordSignal(gate, given),
  )
  server.registerTool(
    'gate_status',
    {
      title: 'What is missing',
      description: ABOUT_STATUS,
      inputSchema: z.object({}),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => {
      try {
        return answer(gateStatusText(gateStatus(gate.state())))
      } catch (error) {
        return failed(`The state can't be read: ${error instanceof Error ? error.message : String(error)}.`)
      }
    },
  )
  return server
}

function recordSignal(gate: Gate, given: Readonly<Record<string, unknown>>) {
  const { signal, problems } = signalOf(given)
  if (signal === undefined) return failed(`The signal was not recorded: ${problems.join('; ')}.`)
  const problem = gate.post(signal)
  if (problem !== undefined) return failed(`The signal was not recorded: ${problem}.`)
  const notes = problems.map((each) => ` Note: ${each}.`).join('')
  return answer(`Recorded. exitgate checks the project when your turn ends.${notes}`)
}

const answer = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const failed = (text: string) => ({ ...answer(text), isError: true })

/** The part of the state that the agent may see. It never contains a completion token. */
interface GateStatus {
  readonly run?: string
  readonly iteration?: number
  readonly decided: number
  readonly ended?: string
  readonly rule?: string
  readonly reason?: string
  readonly claim?: string
  readonly proof?: string
  readonly missing: readonly string[]
}

function gateStatus(state: State): GateStatus {
  const { last, ended, running } = state
  return {
    ...(state.run === undefined ? {} : { run: state.run }),
    ...(running === undefined ? {} : { iteration: running.iteration }),
    decided: state.iterations,
    ...(ended === undefined ? {} : { ended: `${ended.outcome}/${ended.ending}` }),
    ...(last === undefined
      ? {}
      : {
          rule: last.verdict.rule,
          reason: last.verdict.reason,
          claim: last.verdict.gate.claim,
          proof: last.verdict.gate.proof,
        }),
    missing: last?.verdict.missing ?? [],
  }
}

function gateStatusText({ run, decided, ended, reason, missing }: GateStatus): string {
  if (run === undefined || (decided === 0 && missing.length === 0))
    return 'No decision yet. exitgate checks the project when your turn ends.'
  const lines = [
    ended === undefined ? `Run ${run}, ${count(decided, 'iteration')} so far.` : `Run ${run} has ended: ${ended}.`,
    ...(reason === undefined ? [] : [`Last decision: ${reason.replace(/\.$/, '')}.`]),
    ...(missing.length === 0 ? ['Nothing is missing.'] : ['Still missing:', ...missing.map((each) => `- ${each}`)]),
  ]
  return lines.join('\n')
}
