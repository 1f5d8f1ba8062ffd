import type { EventInput, JournalEvent, State } from './events.ts'

type Of<T extends EventInput['type']> = Extract<JournalEvent, { type: T }>

const MOST_ACCEPTED = 500

/** A later acceptance of the same finding replaces the earlier one. */
export function accepted(state: State, { findings, by, reason, seq }: Of<'accepted'>): State {
  const keys = new Set(findings.map(({ key }) => key))
  const before = (state.accepted ?? []).filter(({ key }) => !keys.has(key))
  const more = findings.map((finding) => ({ ...finding, by, reason, after: state.iterations }))
  return { ...state, accepted: [...before, ...more].slice(-MOST_ACCEPTED), seq }
}

/** After a completed run a new baseline contains what was accepted. Until then it stays accepted, also in the next run. */
export function acceptedBefore({ accepted, ended }: State, { baselineId }: Of<'run.started'>): Pick<State, 'accepted'> {
  const isPartOfBaseline = ended?.outcome === 'completed' && baselineId !== undefined
  return accepted === undefined || isPartOfBaseline
    ? {}
    : { accepted: accepted.map((each) => ({ ...each, after: -1 })) }
}
