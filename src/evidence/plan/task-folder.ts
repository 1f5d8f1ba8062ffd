import {
  type Checklist,
  type ChecklistItem,
  type ChecklistOptions,
  MOST_DETAIL,
  readChecklist,
  saysDone,
  tally,
} from '../checks/checklist.ts'

/** A folder with more files is not a hand-written plan, and reading it would take too long. */
const MOST_FILES = 10_000
const MOST_CHARACTERS = 64 * 1024 * 1024
const NO_TASK = /^(?:[_.].*|readme|index|template|agents|claude|contributing)$/i
let collator: Intl.Collator | undefined
/** `2-a` before `10-a`, independent of the machine's language. Made on first use, because few runs need it. */
const inOrder = (a: string, b: string): number => {
  collator ??= new Intl.Collator('en', { numeric: true })
  return collator.compare(a, b)
}

/**
 * The tasks of a folder, one Markdown file each. A task's name is its path without the columns, so it keeps its name while it moves
 * across the board. A sentence if the folder is not a plan.
 */
export function readTaskFolder(
  folder: string,
  files: readonly string[],
  read: (path: string) => string | undefined,
  options: ChecklistOptions = {},
): Checklist | string {
  const places = files.flatMap((path) => placeOf(folder, path)).sort((a, b) => inOrder(a.path, b.path))
  const doneFolder = places.find(({ column }) => column === 'done')?.columnFolder
  if (places.length > MOST_FILES) return `The plan ${folder} has more than ${MOST_FILES} task files.`
  const tasks = new Map<string, ChecklistItem>()
  let characters = 0
  for (const place of places) {
    const text = read(place.path) ?? ''
    characters += text.length
    if (characters > MOST_CHARACTERS) return `The plan ${folder} is too large to read.`
    const task = taskOfFile(place, text, options, doneFolder)
    const duplicate = tasks.get(place.key)
    // If the file was copied instead of moved, the task is open as long as one copy is.
    if (duplicate === undefined || (duplicate.done && !task.done)) tasks.set(place.key, task)
  }
  return tasks.size === 0 ? `The plan ${folder} has no task files.` : tally([...tasks.values()])
}

function placeOf(folder: string, path: string) {
  const parts = path.slice(folder.length + 1).split('/')
  const name = /^(.+)\.(?:md|markdown)$/i.exec(parts.pop() ?? '')?.[1]
  if (name === undefined || NO_TASK.test(name) || parts.some(isArchive)) return []
  const columnFolder = parts.findLast((part) => columnOf(part) !== undefined)
  const column = columnFolder === undefined ? undefined : columnOf(columnFolder)
  const key = [...parts.filter((part) => columnOf(part) === undefined), name].join('/')
  return [{ key, path, column, columnFolder }]
}

/** A task's file is done only if its folder and the `status` at its top agree. */
function taskOfFile(
  place: ReturnType<typeof placeOf>[number],
  text: string,
  options: ChecklistOptions,
  doneFolder?: string,
): ChecklistItem {
  const { fields, body } = frontMatter(text)
  const statuses = fields.get('status') ?? []
  const hasDoneStatus = statuses.length > 0 && statuses.every(saysDone)
  const empty = isEmpty(body)
  const isDone =
    place.column === 'done' ? hasDoneStatus || statuses.length === 0 : place.column === undefined && hasDoneStatus
  const title = oneOf(fields.get('title')) ?? /^#{1,6}[ \t]+(\S.{0,300})/m.exec(body)?.[1]?.trim()
  const type = oneOf(fields.get('type'))
  const detail = body.trim().slice(0, MOST_DETAIL)
  const { plansOnly: _, ...boxes } = options
  const parts = readChecklist(body, boxes)
  return {
    ...{ text: place.key, done: isDone && hasText(body), line: 1, section: '', optional: false, file: place.path },
    ...{ rank: RANKS[place.column ?? columnOfStatus(statuses)], parts },
    ...(title === undefined ? {} : { title }),
    ...(type === undefined ? {} : { type }),
    ...(detail === '' ? {} : { detail }),
    ...(empty ? { empty } : {}),
    markDone: howToMark(place, { hasBoxes: parts.open > 0, hasStatus: statuses.length > 0, doneFolder }),
  }
}

/** The steps for the agent, in an order in which each path still exists. */
function howToMark(
  { path, column, columnFolder }: ReturnType<typeof placeOf>[number],
  { hasBoxes, hasStatus, doneFolder }: { hasBoxes: boolean; hasStatus: boolean; doneFolder: string | undefined },
): string {
  const inBoard = columnFolder !== undefined || (doneFolder !== undefined && !hasStatus)
  const moves = inBoard && column !== 'done'
  return [
    ...(hasBoxes ? [`tick the boxes in ${path}`] : []),
    ...(hasStatus || !moves ? [`set "status: done" in the front matter of ${path}`] : []),
    ...(moves ? [`move ${path} to ${inDone(path, columnFolder, doneFolder)}`] : []),
  ].join(', then ')
}

/** The same path in the board's done folder. */
function inDone(path: string, columnFolder: string | undefined, doneFolder = 'done'): string {
  const parts = path.split('/')
  if (columnFolder === undefined) parts.splice(-1, 0, doneFolder)
  else parts.splice(parts.lastIndexOf(columnFolder), 1, doneFolder)
  return parts.join('/')
}

function columnOfStatus(statuses: readonly string[]): Column {
  const status = statuses[0]?.toLowerCase() ?? ''
  if (/^(?:doing|in[ _-]?progress|active|wip|started)$/.test(status)) return 'doing'
  return /^(?:blocked|waiting|on[ _-]?hold)$/.test(status) ? 'blocked' : 'todo'
}

/** Tasks in progress come first, blocked ones last. */
const RANKS: Readonly<Record<Column, number>> = { doing: 0, todo: 1, blocked: 2, done: 3 }

/** There must be something to do apart from headings. */
const isEmpty = (body: string): boolean =>
  body.split(/\r\n|\n|\r/).every((line) => /^\s*(?:#{1,6}(?:\s|$).*)?$/.test(line))

/** A title alone is a task; an empty file is not. */
const hasText = (body: string): boolean => /[^\s#]/.test(body)

const oneOf = (values: readonly string[] | undefined): string | undefined =>
  values?.length === 1 && values[0] !== '' ? values[0] : undefined

const MOST_FRONT_MATTER = 16_384

/** The few plain fields we need. A repeated field is kept twice, so that the second can't hide the first. */
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

/** The column of the board that a task is in. */
type Column = 'doing' | 'todo' | 'blocked' | 'done'

/** Common names of the folders. */
const NAMES: Readonly<Record<Column, readonly string[]>> = {
  doing: ['doing', 'in-progress', 'in_progress', 'active', 'wip', 'review'],
  todo: ['todo', 'to-do', 'open', 'backlog', 'pending', 'planned', 'ready', 'next'],
  blocked: ['blocked', 'waiting', 'on-hold'],
  done: ['done', 'completed', 'complete', 'closed', 'finished'],
}
const COLUMNS = new Map(
  (Object.keys(NAMES) as Column[]).flatMap((column) => NAMES[column].map((name) => [name, column])),
)

/** Folders for things other than current work: an open task that is moved there is gone, not done. */
const ARCHIVES = /^(?:[_.].*|templates?|archived?|archives|cancell?ed|wont-?fix)$/

/** Boards number their columns: `4.done`, `04-done`. */
const bare = (folder: string) => folder.toLowerCase().replace(/^\d{1,4}[._-]/, '')

const columnOf = (folder: string): Column | undefined => COLUMNS.get(bare(folder))
const isArchive = (folder: string): boolean => ARCHIVES.test(bare(folder))

/** Globs of the folders of some columns, at any depth. */
export function columnGlobs(...columns: readonly Column[]): string {
  const names = columns.flatMap((column) => NAMES[column]).join(',')
  return `**/{{${names}},[0-9]*[._-]{${names}}}`
}
