import { addressOf } from '../../inbox/attempt.ts'
import { postSignal } from '../../inbox/post.ts'
import { CONFIDENCES, STATUSES } from '../../inbox/signal.ts'
import { InputError } from '../errors.ts'
import { INTERNAL } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { oneOf, parse } from '../parse.ts'

export const OPTIONS = {
  reason: { type: 'string' },
  remaining: { type: 'string' },
  confidence: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** `exitgate signal`: the agent's claim from its shell. It goes to the loop that started the agent, and to nobody else. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('signal', args, OPTIONS, 1)
  if (positionals[0] === undefined)
    throw new InputError(`exitgate signal needs one of ${STATUSES.join(', ')}; see exitgate signal --help`)
  const status = oneOf('exitgate signal', positionals[0].toLowerCase(), STATUSES)
  const address = addressOf(io.env)
  if (address === undefined)
    throw new InputError(
      'exitgate signal works inside a run only: EXITGATE_RUN is not set, so nobody waits for a signal; start the agent with exitgate run',
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
    io.stderr.write(`exitgate: the signal was not recorded: ${problem}\n`)
    return INTERNAL
  }
  const { run, iteration } = address
  io.stdout.write(
    values.json
      ? `${JSON.stringify({ recorded: true, run, iteration, ...signal })}\n`
      : `recorded for iteration ${iteration}; when it ends, exitgate looks at the project itself\n`,
  )
  return 0
}
