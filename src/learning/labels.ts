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
