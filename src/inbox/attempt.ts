import type { Attempt } from './signal.ts'

/** Where signals of this start of the agent go. */
export interface Address extends Attempt {
  readonly inbox: string
}

/** Set for the agent of a run and everything it starts. */
export const RUN_MARK = 'EXITGATE_RUN'

/** Environment variables that tell the agent and its children which start they belong to. */
export function environmentOf({ run, iteration, nonce, inbox }: Address): Record<string, string> {
  return {
    [RUN_MARK]: run,
    EXITGATE_ITERATION: String(iteration),
    EXITGATE_NONCE: nonce,
    EXITGATE_INBOX: inbox,
  }
}

/** The address in an environment: undefined outside a run, a sentence if it is incomplete. */
export function addressOf(env: Readonly<Record<string, string | undefined>>): Address | string | undefined {
  const { EXITGATE_RUN: run, EXITGATE_ITERATION: number, EXITGATE_NONCE: nonce, EXITGATE_INBOX: inbox } = env
  if (!run) return undefined
  const missing = Object.entries({ EXITGATE_ITERATION: number, EXITGATE_NONCE: nonce, EXITGATE_INBOX: inbox })
    .filter(([, value]) => !value)
    .map(([name]) => name)
  if (!number || !nonce || !inbox)
    return `EXITGATE_RUN is set, but not ${missing.join(', ')}; pass the agent's whole environment on`
  const iteration = Number(number)
  if (Number.isInteger(iteration) && iteration > 0) return { run, iteration, nonce, inbox }
  return `EXITGATE_ITERATION is "${number.slice(0, 40)}"; it must be the whole number that exitgate run set`
}
