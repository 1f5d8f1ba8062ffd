import { chooseFindings, openFindings } from '../core/accepting.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import type { BreakerChoice, Control } from '../core/run.ts'
import type { Observation, OpenFinding, Policy } from '../core/types.ts'

type Request = { readonly by: string; readonly reason: string }

/** The user's requests since the last poll. */
export interface Requests {
  readonly interrupt?: Request
  readonly force?: Request
  readonly skipPhase?: Request
  /** The current task was skipped, so the result of its iteration doesn't matter. */
  readonly skipTask?: Request
  readonly pause?: boolean
  /** Findings were accepted, so the latest evidence may be out of date. */
  readonly accepts?: true
  /** Every request is recorded, even one without effect. */
  readonly events: readonly EventInput[]
}

/** A later request replaces an earlier one, but nothing cancels an interrupt. */
export function requestsOf(controls: readonly Control[], state: State, policy: Policy): Requests {
  let requests: Requests = { events: [] }
  for (const control of controls) {
    const { kind, by, reason } = control
    const request = { by, reason }
    const more: EventInput[] = [{ type: 'control', kind, by, reason }]
    if (kind === 'interrupt') requests = { ...requests, interrupt: request }
    else if (kind === 'force') requests = { ...requests, force: request }
    else if (kind === 'pause' || kind === 'resume') requests = { ...requests, pause: kind === 'pause' }
    else if (kind === 'reset-breaker') more.push({ type: 'breaker.reset', by, reason })
    else if (kind === 'accept') {
      const findings = acceptable(state, control.ids ?? [])
      if (typeof findings === 'string') more.push({ type: 'note', text: findings })
      else {
        more.push({ type: 'accepted', findings, by, reason })
        requests = { ...requests, accepts: true }
      }
    } else if (kind === 'guidance') more.push({ type: 'guidance', text: reason, by })
    else if (policy.phases !== undefined) requests = { ...requests, skipPhase: request }
    else if (state.running?.task !== undefined) {
      more.push({ type: 'task.skipped', task: state.running.task, by, reason })
      requests = { ...requests, skipTask: request }
    } else more.push({ type: 'note', text: NOTHING_TO_SKIP })
    requests = { ...requests, events: [...requests.events, ...more] }
  }
  return requests
}

/** The findings of the latest checks with these ids, or a sentence about what is wrong with the ids. */
export const acceptable = ({ previous, baseline }: State, ids: readonly string[]): readonly OpenFinding[] | string =>
  chooseFindings(openFindings(previous?.evidence ?? baseline), ids)

const NOTHING_TO_SKIP = 'there is no task or phase to skip'

/** Why a control would have no effect now. Without this, a useless control would stop the agent. */
export function whyNoEffect(control: Control, state: State, policy: Policy): string | undefined {
  const { kind } = control
  if (kind === 'accept') {
    const findings = acceptable(state, control.ids ?? [])
    return typeof findings === 'string' ? findings : undefined
  }
  if (kind !== 'skip' || policy.phases !== undefined || state.running?.task !== undefined) return undefined
  return NOTHING_TO_SKIP
}

/** The user ended the iteration, so no evidence is gathered for it. */
export const cutShort = ({ interrupt, force, skipPhase, skipTask }: Requests): boolean =>
  (interrupt ?? force ?? skipPhase ?? skipTask) !== undefined

/** What the user forces, for the observation: the whole run, or only the phase. */
export function forcedBy({ force, skipPhase }: Pick<Requests, 'force' | 'skipPhase'>): Pick<Observation, 'forced'> {
  if (force !== undefined) return { forced: { ...force, scope: 'run' } }
  return skipPhase === undefined ? {} : { forced: { ...skipPhase, scope: 'phase' } }
}

export interface AfterMenu {
  readonly ends: boolean
  readonly skipPhase?: Request
  readonly events: readonly EventInput[]
}

/** Translates a choice in the breaker's menu into events. */
export function afterMenu(choice: BreakerChoice, state: State, policy: Policy): AfterMenu {
  const { kind, reason } = choice
  const by = 'unanswered' in choice ? 'exitgate' : 'you at the terminal'
  const chosen: EventInput = { type: 'control', kind: `breaker: ${kind}`, by, reason }
  const reset: EventInput = { type: 'breaker.reset', by, reason }
  const onceMore: EventInput = { ...reset, to: 'half-open' }
  if (kind === 'abort') return { ends: true, events: [chosen] }
  if (kind === 'reset') return { ends: false, events: [chosen, reset] }
  if (kind === 'continue') return { ends: false, events: [chosen, onceMore] }
  if (kind === 'modify')
    return { ends: false, events: [chosen, { type: 'guidance', text: choice.guidance, by }, reset] }
  if (policy.phases !== undefined) return { ends: false, skipPhase: { by, reason }, events: [chosen, reset] }
  const task = state.previous?.task
  if (task === undefined)
    return { ends: false, events: [chosen, { type: 'note', text: `${NOTHING_TO_SKIP}; trying once more` }, onceMore] }
  return { ends: false, events: [chosen, { type: 'task.skipped', task, by, reason }, reset] }
}
