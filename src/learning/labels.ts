import type { JournalEvent, Label, LabelSource } from '../core/journal/events.ts'

/** What is known afterwards about one run, and who said so. */
export interface RunLabel {
  readonly run: string
  readonly label: Label
  readonly source: LabelSource
  readonly by: string
  readonly reason: string
  readonly at: number
}

/** Passes events on and keeps the labels among them in `kept`: so a journal that is read for something else is read once. */
export function* keepLabels(events: Iterable<JournalEvent>, kept: JournalEvent[]): Generator<JournalEvent, void> {
  for (const event of events) {
    if (event.type === 'labelled') kept.push(event)
    yield event
  }
}

/**
 * The label of each run that has one. Of a person's words the newest counts, and it beats whatever was found automatically; of what
 * was found, `bad` stays: work that was taken back once is not made good by a later look that finds nothing.
 */
export function labelsOf(events: Iterable<JournalEvent>): ReadonlyMap<string, RunLabel> {
  const persons = new Map<string, RunLabel>()
  const found = new Map<string, RunLabel>()
  for (const event of events) {
    if (event.type !== 'labelled') continue
    const { run, label, source, by, reason, at } = event
    const kept = source === 'person' ? persons : found
    if (label === 'none') kept.delete(run)
    else if (source === 'person' || found.get(run)?.label !== 'bad')
      kept.set(run, { run, label, source, by, reason, at })
  }
  return new Map([...found, ...persons])
}
