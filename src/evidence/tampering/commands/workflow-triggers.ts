import type { Change } from '../changes.ts'
import type { TamperFinding } from '../finding.ts'
import { short } from '../finding.ts'
import { flatten } from '../settings/flatten.ts'

const EVENTS = /^(?:push|pull_request|pull_request_target|merge_group|merge_request_event)$/

/** A workflow that no longer starts when code changes. */
export function triggerFindings(change: Change): TamperFinding[] {
  if (!/workflows\/[^/]+\.ya?ml$/.test(change.path) || change.before === undefined || change.after === undefined)
    return []
  const [was, now] = [eventsOf(change.path, change.before), eventsOf(change.path, change.after)]
  const lost = [...was.events].filter((event) => EVENTS.test(event) && !now.events.has(event))
  const common = {
    file: change.path,
    line: now.line,
    before: short([...was.events].join(', ')),
    after: short([...now.events].join(', ')),
  }
  const findings: TamperFinding[] = []
  if (lost.length > 0 && ![...now.events].some((event) => EVENTS.test(event))) {
    findings.push({
      ...common,
      kind: 'ci-weakened',
      severity: 'block',
      detail: `The workflow no longer starts on ${lost.join(' or ')}. Restore the trigger.`,
    })
  } else if (lost.length > 0)
    findings.push({
      ...common,
      kind: 'ci-weakened',
      severity: 'warn',
      detail: `The workflow no longer starts on ${lost.join(' or ')}. Restore the trigger.`,
    })
  const narrower = [...now.filters].filter(
    (filter) =>
      !was.filters.has(filter) &&
      /paths-ignore|branches-ignore|paths\b/.test(filter) &&
      !/\.md|docs?|LICENSE/i.test(filter),
  )
  if (narrower.length > 0)
    findings.push({
      ...common,
      after: short(narrower.join(', ')),
      kind: 'ci-weakened',
      severity: 'warn',
      detail: 'A new filter makes the workflow start for fewer changes. Remove it.',
    })
  return findings
}

function eventsOf(path: string, text: string): { events: Set<string>; filters: Set<string>; line: number } {
  const events = new Set<string>()
  const filters = new Set<string>()
  let line = 1
  for (const { key, value, line: at } of flatten(path, text)) {
    const match = /^(?:on|true)(?:\.([^.]+))?(.*)$/.exec(key)
    if (!match) continue
    line = at
    if (match[1] === undefined || /^\d+$/.test(match[1])) events.add(value)
    else {
      events.add(match[1])
      if (match[2] !== '') filters.add(`${match[1]}${match[2]!.replace(/\.\d+$/, '')} ${value}`)
    }
  }
  return { events, filters, line }
}
