import type { EventInput, State } from '../core/journal/events.ts'
import type { BreakerChoice, Control } from '../core/run.ts'
import type { Observation, Policy } from '../core/types.ts'

type Said = { readonly by: string; readonly reason: string }

/** What people asked for, as the loop acts on it. */
export interface Asked {
  readonly interrupt?: Said
  readonly force?: Said
  readonly skipPhase?: Said
  /** The current task was taken off the list, so that its iteration is of no interest any more. */
  readonly skipTask?: Said
  readonly pause?: boolean
  /** Everything asked for is written down, whatever comes of it. */
  readonly happenings: readonly EventInput[]
}

/** The later word counts, except that nothing takes an interrupt back. */
export function askedOf(controls: readonly Control[], state: State, policy: Policy): Asked {
  let asked: Asked = { happenings: [] }
  for (const control of controls) {
    const { kind, by, reason } = control
    const said = { by, reason }
    const more: EventInput[] = [{ type: 'control', kind, by, reason }]
    if (kind === 'interrupt') asked = { ...asked, interrupt: said }
    else if (kind === 'force') asked = { ...asked, force: said }
    else if (kind === 'pause' || kind === 'resume') asked = { ...asked, pause: kind === 'pause' }
    else if (kind === 'reset-breaker') more.push({ type: 'breaker.reset', by, reason })
    else if (kind === 'guidance') more.push({ type: 'guidance', text: reason, by })
    else if (policy.phases !== undefined) asked = { ...asked, skipPhase: said }
    else if (state.running?.task !== undefined) {
      more.push({ type: 'task.skipped', task: state.running.task, by, reason })
      asked = { ...asked, skipTask: said }
    } else more.push({ type: 'note', text: NOTHING_TO_SKIP })
    asked = { ...asked, happenings: [...asked.happenings, ...more] }
  }
  return asked
}

const NOTHING_TO_SKIP = 'there is no task or phase that could be skipped'

/** Why something that may be asked for is not done now. The agent is not ended for nothing. */
export function futile({ kind }: Control, state: State, policy: Policy): string | undefined {
  if (kind !== 'skip' || policy.phases !== undefined || state.running?.task !== undefined) return undefined
  return NOTHING_TO_SKIP
}

/** Nobody waits for proof of an iteration that a person ended. */
export const cutShort = (asked: Asked): boolean =>
  (asked.interrupt ?? asked.force ?? asked.skipPhase ?? asked.skipTask) !== undefined

/** A person's word for the observation: the whole run, or only the phase. */
export function forcedBy({ force, skipPhase }: Pick<Asked, 'force' | 'skipPhase'>): Pick<Observation, 'forced'> {
  if (force !== undefined) return { forced: { ...force, scope: 'run' } }
  return skipPhase === undefined ? {} : { forced: { ...skipPhase, scope: 'phase' } }
}

export interface AfterMenu {
  readonly ends: boolean
  readonly skipPhase?: Said
  readonly happenings: readonly EventInput[]
}

/** What a choice in the breaker's menu means. */
export function afterMenu(choice: BreakerChoice, state: State, policy: Policy): AfterMenu {
  const by = 'a person at the terminal'
  const { kind, reason } = choice
  const chosen: EventInput = { type: 'control', kind: `breaker: ${kind}`, by, reason }
  const reset: EventInput = { type: 'breaker.reset', by, reason }
  const onceMore: EventInput = { ...reset, to: 'half-open' }
  if (kind === 'abort') return { ends: true, happenings: [chosen] }
  if (kind === 'reset') return { ends: false, happenings: [chosen, reset] }
  if (kind === 'continue') return { ends: false, happenings: [chosen, onceMore] }
  if (kind === 'modify')
    return { ends: false, happenings: [chosen, { type: 'guidance', text: choice.guidance, by }, reset] }
  if (policy.phases !== undefined) return { ends: false, skipPhase: { by, reason }, happenings: [chosen, reset] }
  const task = state.previous?.task
  if (task === undefined)
    return { ends: false, happenings: [chosen, { type: 'note', text: `${NOTHING_TO_SKIP}; one more try` }, onceMore] }
  return { ends: false, happenings: [chosen, { type: 'task.skipped', task, by, reason }, reset] }
}
