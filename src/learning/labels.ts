import type { JournalEvent, Label, LabelSource } from '../core/journal/events.ts'

/** The label of one run, and its source. */
export interface RunLabel {
  readonly run: string
  readonly label: Label
  readonly source: LabelSource
  readonly by: string
  readonly reason: string
  readonly at: number
}

/** Passes events through and collects labels in `kept`, so that a journal is read only once. */
export function* keepLabels(events: Iterable<JournalEvent>, kept: JournalEvent[]): Generator<JournalEvent, void> {
  for (const event of events) {
    if (event.type === 'labelled') kept.push(event)
    yield event
  }
}

/**
 * The label of each labelled run. The user's newest label beats everything that was detected automatically. Among automatic labels
 * `bad` stays, because a later look that finds nothing doesn't make reverted work good.
 */
export function labelsOf(events: Iterable<JournalEvent>): ReadonlyMap<string, RunLabel> {
  const fromUser = new Map<string, RunLabel>()
  const automatic = new Map<string, RunLabel>()
  for (const event of events) {
    if (event.type !== 'labelled') continue
    const { run, label, source, by, reason, at } = event
    const kept = source === 'person' ? fromUser : automatic
    if (label === 'none') kept.delete(run)
    else if (source === 'person' || automatic.get(run)?.label !== 'bad')
      kept.set(run, { run, label, source, by, reason, at })
  }
  return new Map([...automatic, ...fromUser])
}
