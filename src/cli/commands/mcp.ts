import { dirname } from 'node:path'
import { type Address, addressOf } from '../../inbox/attempt.ts'
import { postSignal } from '../../inbox/post.ts'
import { forgetSessionSignals, postSessionSignal } from '../../inbox/session-inbox.ts'
import type { SignalFields } from '../../inbox/signal.ts'
import { readJournal } from '../../journal/read.ts'
import { serveMcp } from '../../mcp/server.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { DIR_ROW, STATE_DIR_ROW } from '../shared-options.ts'
import { VERSION } from '../version.ts'

export const OPTIONS = {
  dir: { type: 'string' },
  'state-dir': { type: 'string' },
  run: { type: 'string' },
  iteration: { type: 'string' },
  nonce: { type: 'string' },
  inbox: { type: 'string' },
} as const

export const HELP: Page = {
  usage: ['mcp [options]'],
  about: 'Serve the MCP tools exit_signal and gate_status on stdin and stdout.',
  rows: [
    DIR_ROW,
    STATE_DIR_ROW,
    ['--run R', 'run id (default: EXITGATE_RUN)'],
    ['--iteration N', 'iteration (default: EXITGATE_ITERATION)'],
    ['--nonce X', 'secret of the iteration (default: EXITGATE_NONCE)'],
    ['--inbox FILE', 'file for the signals (default: EXITGATE_INBOX)'],
  ],
  more: 'exit_signal reports whether the agent is done, gate_status lists what is missing. Inside exitgate run, a signal goes to the loop; elsewhere it counts at the next stop that a hook checks. The last four options are for agents that do not pass on their environment.',
  examples: ['claude mcp add gate -- exitgate mcp', 'exitgate run --mcp --agent claude'],
}

type Values = ValuesOf<typeof OPTIONS>

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('mcp', args, OPTIONS)
  const address = addressOf({ ...io.env, ...given(values) })
  if (typeof address === 'string') throw new InputError(address)
  const dir =
    address === undefined
      ? placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io).dir
      : // The inbox is two levels deep in the state folder of its run.
        dirname(dirname(address.inbox))
  if (address === undefined) forgetSessionSignals(dir)
  await serveMcp({
    version: VERSION,
    post: (signal) => post(dir, address, signal, io.now()),
    state: () => readJournal(dir).state,
  })
  return 0
}

/** Agents that don't pass on their environment pass these as arguments instead. */
function given({ run, iteration, nonce, inbox }: Values): Readonly<Record<string, string>> {
  const rows = { EXITGATE_RUN: run, EXITGATE_ITERATION: iteration, EXITGATE_NONCE: nonce, EXITGATE_INBOX: inbox }
  return Object.fromEntries(
    Object.entries(rows).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** In a run, the loop reads it; in an interactive session, the next stop hook does. */
function post(dir: string, address: Address | undefined, signal: SignalFields, at: number): string | undefined {
  return address === undefined ? postSessionSignal(dir, signal, at) : postSignal(address, signal, at)
}
