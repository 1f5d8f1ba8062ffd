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
  about:
    'An MCP server on stdin and stdout with two tools: exit_signal (the agent says whether it is done) and gate_status (what is missing). Inside exitgate run a signal goes to the loop; else it is kept for the next stop that a hook sees.',
  rows: [
    ['--dir DIR', 'the project (default: this folder)'],
    ['--state-dir DIR', 'where journals live'],
    [
      '--run R, --iteration N, --nonce X, --inbox FILE',
      'for agents that do not pass their environment on (else EXITGATE_RUN and so on)',
    ],
  ],
  examples: ['claude mcp add gate -- exitgate mcp'],
}

type Values = ValuesOf<typeof OPTIONS>

/** `exitgate mcp`: the tools `exit_signal` and `gate_status` for an agent, on standard input and output. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('mcp', args, OPTIONS)
  const address = addressOf({ ...io.env, ...given(values) })
  if (typeof address === 'string') throw new InputError(address)
  const dir =
    address === undefined
      ? placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io).dir
      : // The inbox lies two steps inside the state folder of its run, wherever the person put that.
        dirname(dirname(address.inbox))
  if (address === undefined) forgetSessionSignals(dir)
  await serveMcp({
    version: VERSION,
    post: (signal) => post(dir, address, signal, io.now()),
    state: () => readJournal(dir).state,
  })
  return 0
}

/** Agents that give their tools an environment of their own pass these as arguments instead. */
function given({ run, iteration, nonce, inbox }: Values): Readonly<Record<string, string>> {
  const rows = { EXITGATE_RUN: run, EXITGATE_ITERATION: iteration, EXITGATE_NONCE: nonce, EXITGATE_INBOX: inbox }
  return Object.fromEntries(
    Object.entries(rows).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** In a run the loop reads it; in a session of the agent's own the next stop hook does. */
function post(dir: string, address: Address | undefined, signal: SignalFields, at: number): string | undefined {
  return address === undefined ? postSessionSignal(dir, signal, at) : postSignal(address, signal, at)
}
