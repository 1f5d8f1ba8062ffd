import { type Checklist, type ChecklistItem, type ChecklistOptions, tally } from '../checks/checklist.ts'
import { columnOf, isAside } from './columns.ts'
import { taskOfFile } from './task-file.ts'

/** A folder with more is no plan of a person's, and reading it would keep everybody waiting. */
const MOST_FILES = 10_000
const MOST_CHARACTERS = 64 * 1024 * 1024
const NO_TASK = /^(?:[_.].*|readme|index|template|agents|claude|contributing)$/i
/** `2-a` before `10-a`, whatever the language of the machine. */
const order = new Intl.Collator('en', { numeric: true })

/**
 * The tasks of a folder, one Markdown file each: the name of a task is its path without its columns, so that it keeps its
 * name while it moves over the board. A sentence when the folder cannot be taken for a plan.
 */
export function readTaskFolder(
  folder: string,
  files: readonly string[],
  read: (path: string) => string | undefined,
  options: ChecklistOptions = {},
): Checklist | string {
  const places = files.flatMap((path) => placeOf(folder, path)).sort((a, b) => order.compare(a.path, b.path))
  if (places.length > MOST_FILES) return `The plan ${folder} holds more than ${MOST_FILES} task files.`
  const tasks = new Map<string, ChecklistItem>()
  let characters = 0
  for (const place of places) {
    const text = read(place.path) ?? ''
    characters += text.length
    if (characters > MOST_CHARACTERS) return `The plan ${folder} is too large to be read.`
    const task = taskOfFile(place, text, options)
    const twin = tasks.get(place.key)
    // Copied instead of moved: as long as one of the two is open, the task is.
    if (twin === undefined || (twin.done && !task.done)) tasks.set(place.key, task)
  }
  return tasks.size === 0 ? `The plan ${folder} holds no task file.` : tally([...tasks.values()])
}

function placeOf(folder: string, path: string) {
  const parts = path.slice(folder.length + 1).split('/')
  const name = /^(.+)\.(?:md|markdown)$/i.exec(parts.pop() ?? '')?.[1]
  if (name === undefined || NO_TASK.test(name) || parts.some(isAside)) return []
  const column = parts.map(columnOf).findLast((found) => found !== undefined)
  const key = [...parts.filter((part) => columnOf(part) === undefined), name].join('/')
  return [{ key, path, column }]
}
