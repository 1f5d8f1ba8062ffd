import { type ChecklistItem, type ChecklistOptions, MOST_DETAIL, readChecklist, saysDone } from '../checks/checklist.ts'
import type { Column } from './columns.ts'

/** A task's file: whether it is done is told by its folder and by the `status` at its top, and both must agree. */
export function taskOfFile(
  place: { readonly key: string; readonly path: string; readonly column: Column | undefined },
  text: string,
  options: ChecklistOptions,
): ChecklistItem {
  const { fields, body } = frontMatter(text)
  const statuses = fields.get('status') ?? []
  const saysSo = statuses.length > 0 && statuses.every(saysDone)
  const empty = isEmpty(body)
  const lies = place.column === 'done' ? saysSo || statuses.length === 0 : place.column === undefined && saysSo
  const title = oneOf(fields.get('title')) ?? /^#{1,6}[ \t]+(\S.{0,300})/m.exec(body)?.[1]?.trim()
  const type = oneOf(fields.get('type'))
  const detail = body.trim().slice(0, MOST_DETAIL)
  const { plansOnly: _, ...boxes } = options
  return {
    ...{ text: place.key, done: lies && hasText(body), line: 1, section: '', optional: false, file: place.path },
    ...{ rank: RANKS[place.column ?? columnSaid(statuses)], parts: readChecklist(body, boxes) },
    ...(title === undefined ? {} : { title }),
    ...(type === undefined ? {} : { type }),
    ...(detail === '' ? {} : { detail }),
    ...(empty ? { empty } : {}),
  }
}

/** What was begun comes first; what waits for somebody else comes last. */
const RANKS: Readonly<Record<Column, number>> = { doing: 0, todo: 1, blocked: 2, done: 3 }

function columnSaid(statuses: readonly string[]): Column {
  const status = statuses[0]?.toLowerCase() ?? ''
  if (/^(?:doing|in[ _-]?progress|active|wip|started)$/.test(status)) return 'doing'
  return /^(?:blocked|waiting|on[ _-]?hold)$/.test(status) ? 'blocked' : 'todo'
}

/** Something must be left to be done besides headings. */
const isEmpty = (body: string): boolean =>
  body.split(/\r\n|\n|\r/).every((line) => /^\s*(?:#{1,6}(?:\s|$).*)?$/.test(line))

/** A title alone is a task; nothing at all is none. */
const hasText = (body: string): boolean => /[^\s#]/.test(body)

const oneOf = (values: readonly string[] | undefined): string | undefined =>
  values?.length === 1 && values[0] !== '' ? values[0] : undefined

const MOST_FRONT_MATTER = 16_384

/** The few plain fields we ask for. A field that is given twice is kept twice, so that nobody hides one behind the other. */
function frontMatter(text: string): { fields: ReadonlyMap<string, readonly string[]>; body: string } {
  const fields = new Map<string, string[]>()
  const head = /^---[ \t]*(?:\r\n|\n|\r)/.exec(text)
  const rest = head === null ? '' : text.slice(head[0].length)
  const end = /^(?:---|\.\.\.)[ \t]*$/m.exec(rest.slice(0, MOST_FRONT_MATTER))
  if (end === null) return { fields, body: text }
  for (const line of rest.slice(0, end.index).split(/\r\n|\n|\r/)) {
    const [, name, value] = /^["']?(status|type|title)["']?[ \t]*:[ \t]*(.*)$/i.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    const key = name.toLowerCase()
    fields.set(key, [...(fields.get(key) ?? []), plain(value)])
  }
  return { fields, body: rest.slice(end.index + end[0].length) }
}

/** `"done"  # since Monday` is done. */
function plain(value: string): string {
  const quotes = /^(["'])(.*?)\1/.exec(value)
  return (quotes === null ? value.replace(/(?:^|[ \t])#.*$/, '') : quotes[2]!).trim()
}
