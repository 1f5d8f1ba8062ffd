import { dirname } from 'node:path'
import { type Address, addressOf } from '../../inbox/attempt.ts'
import { postSignal } from '../../inbox/post.ts'
import { forgetSessionSignals, postSessionSignal } from '../../inbox/session-inbox.ts'
import type { SignalFields } from '../../inbox/signal.ts'
import { readJournal } from '../../journal/read.ts'
import { serveMcp } from '../../mcp/server.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'
import { placeOf } from '../place.ts'
import { VERSION } from '../version.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = {
  dir: { type: 'string' },
  'state-dir': { type: 'string' },
  run: { type: 'string' },
  iteration: { type: 'string' },
  nonce: { type: 'string' },
  inbox: { type: 'string' },
} as const

interface Values {
  readonly dir?: string
  readonly 'state-dir'?: string
  readonly run?: string
  readonly iteration?: string
  readonly nonce?: string
  readonly inbox?: string
}

/** `exitgate mcp`: the tools `exit_signal` and `gate_status` for an agent, on standard input and output. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('mcp', args, OPTIONS)
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
