import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'
import type { State } from '../core/journal/events.ts'
import { CONFIDENCES, type SignalFields, STATUSES, signalOf } from '../inbox/signal.ts'

/** What the server's tools reach: everything else is none of an agent's business. */
export interface Gate {
  readonly version: string
  /** Puts a signal where it is read when the iteration ends; gives back a sentence when it could not. */
  post(signal: SignalFields): string | undefined
  /** The journal's state, read without taking the lock. */
  state(): State
}

const ABOUT_SIGNAL =
  'Say, before you end your turn, whether anything of the task is left. Your word is compared with the project itself: it opens nothing alone.'
const ABOUT_STATUS = 'What exitgate still misses before this work counts as done. Read-only.'

/** Unknown fields come through, so that they can be named in the answer instead of being swallowed. */
const SIGNAL = z.looseObject({
  status: z.enum(STATUSES).describe('whether the task is done, goes on, or needs a person'),
  reason: z.string().optional().describe('one sentence'),
  remaining_work: z.string().optional().describe('what is left; "none" when nothing is'),
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
      title: 'Say whether the work is done',
      description: ABOUT_SIGNAL,
      inputSchema: SIGNAL,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    (given) => signalled(gate, given),
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
        return said(gateStatusText(gateStatus(gate.state())))
      } catch (error) {
        return failed(`the state cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  )
  return server
}

function signalled(gate: Gate, given: Readonly<Record<string, unknown>>) {
  const { signal, problems } = signalOf(given)
  if (signal === undefined) return failed(`the signal was not recorded: ${problems.join('; ')}`)
  const problem = gate.post(signal)
  if (problem !== undefined) return failed(`the signal was not recorded: ${problem}`)
  const notes = problems.map((each) => ` Note: ${each}.`).join('')
  return said(`Recorded. When your turn ends, exitgate looks at the project itself.${notes}`)
}

const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const failed = (text: string) => ({ ...said(text), isError: true })

/** Where the run stands, as far as the agent may know it: what is missing, in words that hold no completion token. */
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
    return 'Nothing has been decided yet. exitgate looks at the project when you end your turn.'
  const lines = [
    ended === undefined ? `Run ${run}, ${decided} iterations decided.` : `Run ${run} has ended: ${ended}.`,
    ...(reason === undefined ? [] : [`The last decision: ${reason}.`]),
    ...(missing.length === 0 ? ['Nothing was missing.'] : ['Missing:', ...missing.map((each) => `- ${each}`)]),
  ]
  return lines.join('\n')
}
