import type { Attempt } from './signal.ts'

/** Where a signal of this start of the agent goes, as its environment says. */
export interface Address extends Attempt {
  readonly inbox: string
}

/** Set for the agent of a run and everything it starts. */
export const RUN_MARK = 'EXITGATE_RUN'

/** The names by which the agent and everything it starts know to which start of it they belong. */
export function environmentOf({ run, iteration, nonce, inbox }: Address): Record<string, string> {
  return {
    [RUN_MARK]: run,
    EXITGATE_ITERATION: String(iteration),
    EXITGATE_NONCE: nonce,
    EXITGATE_INBOX: inbox,
  }
}

/** The address an environment holds: undefined outside a run, a sentence when it is only half there. */
export function addressOf(env: Readonly<Record<string, string | undefined>>): Address | string | undefined {
  const { EXITGATE_RUN: run, EXITGATE_ITERATION: number, EXITGATE_NONCE: nonce, EXITGATE_INBOX: inbox } = env
  if (!run) return undefined
  const missing = Object.entries({ EXITGATE_ITERATION: number, EXITGATE_NONCE: nonce, EXITGATE_INBOX: inbox })
    .filter(([, value]) => !value)
    .map(([name]) => name)
  if (!number || !nonce || !inbox)
    return `EXITGATE_RUN is set but ${missing.join(', ')} is not; pass on all of the agent's environment`
  const iteration = Number(number)
  if (Number.isInteger(iteration) && iteration > 0) return { run, iteration, nonce, inbox }
  return `EXITGATE_ITERATION is "${number.slice(0, 40)}"; it must be a whole number, as exitgate run sets it`
}
