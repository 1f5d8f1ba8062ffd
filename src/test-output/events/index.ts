import type { Event, EventReader, Part } from '../../../packages/test-output/src/types.ts'
import { dart } from './dart.ts'
import { goEvents } from './go.ts'
import { libtest } from './libtest.ts'
import { nodeEvents } from './node.ts'

const eventReaders: readonly EventReader[] = [goEvents, dart, nodeEvents, libtest]

function eventsIn(lines: readonly string[]): readonly Event[] {
  const events: Event[] = []
  lines.forEach((line, at) => {
    if (!line.startsWith('{') || !line.trimEnd().endsWith('}')) return
    try {
      events.push({ at, fields: JSON.parse(line) as Record<string, unknown> })
    } catch {
      // A line that two writers mixed, or that was cut: the reader notices that something is missing.
    }
  })
  return events
}

/** The runs that the events describe, and the other lines, which may come from another runner. */
export function readEvents(
  text: string,
  lines: readonly string[],
): { parts: readonly Part[]; rest: readonly string[] } {
  const reader = eventReaders.find(({ hint }) => hint.test(text))
  if (reader === undefined) return { parts: [], rest: lines }
  const events = eventsIn(lines)
  const taken = new Set(events.map(({ at }) => at))
  return { parts: reader.read(events), rest: lines.map((line, at) => (taken.has(at) ? '' : line)) }
}
