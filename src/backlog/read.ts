import { parseDocument } from 'yaml'
import { knots } from './dependency-cycles.ts'
import { DEFAULT_KEYS, SHARED_LIMITS, TASK_LIMITS } from './keys.ts'
import { readTask } from './read-task.ts'
import type { Backlog, BacklogTask } from './types.ts'
import { isTable, limitsIn, listed, shown, type Table, unknownKeys } from './values.ts'

/** The list of work, or everything that is wrong with it, one sentence a problem. */
export type BacklogRead = { readonly backlog: Backlog } | { readonly problems: readonly string[] }

/** The text of a file that a task names, or why it cannot be had. The one who reads the list knows where files lie. */
export type TextOf = (path: string) => { readonly text: string } | { readonly problem: string }

const KEYS = ['tasks', 'defaults', 'limits']
const NO_FILES: TextOf = () => ({ problem: 'cannot be read here; write the prompt into the list itself' })
/** A list that repeats its aliases more often than this is a bomb or a mistake. */
const MAX_ALIASES = 50

/** Reads a backlog in YAML, of which JSON is a part. */
export function readBacklog(text: string, file: string, textOf: TextOf = NO_FILES): BacklogRead {
  const parsed = parse(text, file)
  if ('problems' in parsed) return parsed
  const { value } = parsed
  if (!isTable(value))
    return { problems: [`${file} holds no list of tasks; begin it with "tasks:" and one entry for each`] }
  const problems: string[] = unknownKeys(value, KEYS, file)
  const defaults = defaultsIn(value.defaults, file, problems)
  const limits = limitsIn(value.limits, SHARED_LIMITS, `${file}: "limits"`, problems)
  if (!Array.isArray(value.tasks) || value.tasks.length === 0)
    return {
      problems: [...problems, `${file}: "tasks" is ${shown(value.tasks)}; it must be a list of at least one task`],
    }
  const tasks: BacklogTask[] = []
  for (const [at, entry] of value.tasks.entries()) {
    const read = readTask(entry, { file, at, defaults, textOf })
    problems.push(...read.problems)
    if (read.task !== undefined) tasks.push(read.task)
  }
  problems.push(...doubles(tasks, file))
  // What is missing because its own entry is wrong would only be a second sentence about the same mistake.
  if (problems.length === 0) problems.push(...knots(tasks, file))
  return problems.length > 0 ? { problems } : { backlog: { tasks, limits } }
}

function parse(text: string, file: string): { readonly value: unknown } | { readonly problems: readonly string[] } {
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { prettyErrors: false, uniqueKeys: true, schema: 'core' })
  const faults = [...document.errors, ...document.warnings].map(
    ({ message, pos }) =>
      `${file}:${lineAt(text, pos[0])}: this is not YAML or JSON we can read: ${firstLine(message)}`,
  )
  if (faults.length > 0) return { problems: faults }
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown }
  } catch (error) {
    return { problems: [`${file} cannot be expanded: ${firstLine(error instanceof Error ? error.message : '')}`] }
  }
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
const firstLine = (message: string): string => message.split('\n', 1).join('').trim()

function defaultsIn(value: unknown, file: string, problems: string[]): Table {
  if (value === undefined || value === null) return {}
  const where = `${file}: "defaults"`
  if (!isTable(value)) {
    problems.push(`${where} is ${shown(value)}; it must be a table of ${listed(DEFAULT_KEYS)}`)
    return {}
  }
  problems.push(...unknownKeys(value, DEFAULT_KEYS, where))
  limitsIn(value.limits, TASK_LIMITS, `${where}: "limits"`, problems)
  return value
}

/** Branches and folders are named by the id, and not every file system tells `A` from `a`. */
function doubles(tasks: readonly BacklogTask[], file: string): readonly string[] {
  const seen = new Map<string, string>()
  return tasks.flatMap(({ id }) => {
    const before = seen.get(id.toLowerCase())
    seen.set(id.toLowerCase(), id)
    if (before === undefined) return []
    return before === id
      ? [`${file}: two tasks are called "${id}"; give one of them another id`]
      : [
          `${file}: the tasks "${before}" and "${id}" differ only in large and small letters; give one of them another id`,
        ]
  })
}
