import { addressOf } from '../../inbox/attempt.ts'
import { postSignal } from '../../inbox/post.ts'
import { CONFIDENCES, STATUSES } from '../../inbox/signal.ts'
import { InputError } from '../errors.ts'
import { INTERNAL } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { oneOf, parse, subcommandOf } from '../parse.ts'

export const OPTIONS = {
  reason: { type: 'string' },
  remaining: { type: 'string' },
  confidence: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** The agent's status from its shell. It goes only to the loop that started the agent. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('signal', args, OPTIONS, 1)
  const status = subcommandOf('signal', positionals[0]?.toLowerCase(), STATUSES)
  const address = addressOf(io.env)
  if (address === undefined)
    throw new InputError(
      'EXITGATE_RUN is not set: exitgate signal works only inside a run. Start the agent with exitgate run.',
    )
  if (typeof address === 'string') throw new InputError(address)
  const signal = {
    status,
    ...(values.reason === undefined ? {} : { reason: values.reason.slice(0, 2_000) }),
    ...(values.remaining === undefined ? {} : { remaining_work: values.remaining.slice(0, 2_000) }),
    ...(values.confidence === undefined
      ? {}
      : { confidence: oneOf('--confidence', values.confidence.toLowerCase(), CONFIDENCES) }),
  }
  const problem = postSignal(address, signal, io.now())
  if (problem !== undefined) {
    io.stderr.write(`error: The status was not recorded: ${problem}\n`)
    return INTERNAL
  }
  const { run, iteration } = address
  io.stdout.write(
    values.json
      ? `${JSON.stringify({ recorded: true, run, iteration, ...signal })}\n`
      : `Recorded for iteration ${iteration}. exitgate checks the project when the iteration ends.\n`,
  )
  return 0
}
