import { parseDocument } from 'yaml'
import type { Backlog, BacklogTask } from './types.ts'
import {
  DEFAULT_KEYS,
  isTable,
  limitsIn,
  listed,
  quotedValue,
  SHARED_LIMITS,
  TASK_KEYS,
  TASK_LIMITS,
  type Table,
  unknownKeys,
} from './values.ts'

interface TaskPlace {
  readonly file: string
  /** The position of the entry, from 0. */
  readonly at: number
  readonly defaults: Table
  readonly textOf: TextOf
}

interface TaskRead {
  readonly task?: BacklogTask
  readonly problems: readonly string[]
}

/** Valid as part of a branch name in git and on every file system. */
const ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,59}$/
const LONGEST_TITLE = 80

/** Reads one entry of the list. */
export function readTask(entry: unknown, { file, at, defaults, textOf }: TaskPlace): TaskRead {
  if (!isTable(entry))
    return { problems: [`${file}: task ${at + 1} is ${quotedValue(entry)}. It must be a mapping with id and prompt.`] }
  const { id } = entry
  if (typeof id !== 'string' && typeof id !== 'number')
    return {
      problems: [`${file}: task ${at + 1} has no id. Add a short, stable one such as "login-form".`],
    }
  const name = String(id)
  if (!isValidId(name))
    return {
      problems: [
        `${file}: task ${at + 1} has the id ${quotedValue(name)}, which is not a valid branch name. Use up to 60 letters, digits, ".", "_" and "-". It must start with a letter or digit and not end with "." or ".lock".`,
      ],
    }
  const where = `${file}: the task "${name}"`
  const problems = unknownKeys(entry, TASK_KEYS, where)
  // Mistakes in the defaults are reported once, with the defaults.
  const validDefaults = Object.fromEntries(Object.entries(defaults).filter(([key]) => DEFAULT_KEYS.includes(key)))
  const all = { ...validDefaults, ...entry }
  const limits = {
    ...limitsIn(validDefaults.limits, TASK_LIMITS, where, []),
    ...limitsIn(entry.limits, TASK_LIMITS, `${where}: "limits"`, problems),
  }
  const text = (key: string): string | undefined => textIn(all, key, where, problems)
  const prompt = promptIn(entry, where, textOf, problems)
  const after = afterIn(entry.after, where, problems)
  const priority = priorityIn(all.priority, where, problems)
  const rest = { plan: text('plan'), type: text('type'), repository: text('repository'), base: text('base') }
  const named = Object.entries({ ...rest, agent: text('agent'), key: text('key') })
  const title = text('title') ?? titleOf(prompt, name)
  const given = Object.fromEntries(named.filter(([, value]) => value !== undefined))
  const task = { id: name, prompt, title, after, priority, limits, ...given }
  return problems.length > 0 ? { problems } : { task, problems }
}

const isValidId = (id: string): boolean => ID.test(id) && !/\.\.|\.$|\.lock$/i.test(id)

function textIn(table: Table, key: string, where: string, problems: string[]): string | undefined {
  const value = table[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value
  problems.push(`${where}: "${key}" is ${quotedValue(value)}. It must be a non-empty string.`)
  return undefined
}

/** The prompt is used byte for byte; nothing is added to it here. */
function promptIn({ prompt, promptFile }: Table, where: string, textOf: TextOf, problems: string[]): string {
  const refuse = (why: string): string => {
    problems.push(`${where} ${why}`)
    return ''
  }
  if (prompt !== undefined && promptFile !== undefined) return refuse('has both prompt and promptFile. Remove one.')
  if (promptFile === undefined) {
    if (typeof prompt === 'string' && prompt.trim() !== '') return prompt
    return refuse(`has no prompt. Add "prompt" or "promptFile".`)
  }
  if (typeof promptFile !== 'string' || promptFile === '')
    return refuse(`has the promptFile ${quotedValue(promptFile)}. It must be the path of a file.`)
  const read = textOf(promptFile)
  if ('problem' in read) return refuse(`has the promptFile ${quotedValue(promptFile)}, which ${read.problem}.`)
  return read.text.trim() === '' ? refuse(`has the promptFile ${quotedValue(promptFile)}, which is empty.`) : read.text
}

function afterIn(value: unknown, where: string, problems: string[]): readonly string[] {
  if (value === undefined || value === null) return []
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  const ids = all.flatMap((each) => (typeof each === 'string' || typeof each === 'number' ? [String(each)] : []))
  if (ids.length < all.length) problems.push(`${where}: "after" is ${quotedValue(value)}. It must be a list of ids.`)
  return [...new Set(ids)]
}

function priorityIn(value: unknown, where: string, problems: string[]): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  problems.push(`${where}: "priority" is ${quotedValue(value)}. It must be a whole number; higher starts earlier.`)
  return 0
}

/** The first line with text, without Markdown marks. */
function titleOf(prompt: string, id: string): string {
  const line = prompt.split('\n').find((each) => /[\p{L}\p{N}]/u.test(each)) ?? id
  const plain = line
    .replace(/^[\s#>*-]+/, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return plain.length <= LONGEST_TITLE ? plain : `${plain.slice(0, LONGEST_TITLE - 1)}…`
}

/** The backlog, or all its problems, one sentence each. */
export type BacklogRead = { readonly backlog: Backlog } | { readonly problems: readonly string[] }

/** Reads a prompt file, or returns why it can't be read. The caller resolves the path. */
export type TextOf = (path: string) => { readonly text: string } | { readonly problem: string }

const KEYS = ['tasks', 'defaults', 'limits']
const NO_FILES: TextOf = () => ({ problem: "can't be read here; put the prompt into the list itself" })
/** More aliases than this are an attack or a mistake. */
const MAX_ALIASES = 50

/** Reads a backlog in YAML, which includes JSON. */
export function readBacklog(text: string, file: string, textOf: TextOf = NO_FILES): BacklogRead {
  const parsed = parse(text, file)
  if ('problems' in parsed) return parsed
  const { value } = parsed
  if (!isTable(value))
    return { problems: [`${file} has no list of tasks. Start it with "tasks:" and one entry per task.`] }
  const problems: string[] = unknownKeys(value, KEYS, file)
  const defaults = defaultsIn(value.defaults, file, problems)
  const limits = limitsIn(value.limits, SHARED_LIMITS, `${file}: "limits"`, problems)
  if (!Array.isArray(value.tasks) || value.tasks.length === 0)
    return {
      problems: [
        ...problems,
        `${file}: "tasks" is ${quotedValue(value.tasks)}. It must be a list of at least one task.`,
      ],
    }
  const tasks: BacklogTask[] = []
  for (const [at, entry] of value.tasks.entries()) {
    const read = readTask(entry, { file, at, defaults, textOf })
    problems.push(...read.problems)
    if (read.task !== undefined) tasks.push(read.task)
  }
  problems.push(...duplicateIds(tasks, file))
  // A dependency on an entry with a mistake is not reported as missing, because that would be the same mistake twice.
  if (problems.length === 0) problems.push(...dependencyProblems(tasks, file))
  return problems.length > 0 ? { problems } : { backlog: { tasks, limits } }
}

function parse(text: string, file: string): { readonly value: unknown } | { readonly problems: readonly string[] } {
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { prettyErrors: false, uniqueKeys: true, schema: 'core' })
  const faults = [...document.errors, ...document.warnings].map(
    ({ message, pos }) => `${file}:${lineAt(text, pos[0])}: not valid YAML or JSON: ${firstLine(message)}`,
  )
  if (faults.length > 0) return { problems: faults }
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown }
  } catch (error) {
    return { problems: [`${file} can't be expanded: ${firstLine(error instanceof Error ? error.message : '')}`] }
  }
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
const firstLine = (message: string): string => message.split('\n', 1).join('').trim()

function defaultsIn(value: unknown, file: string, problems: string[]): Table {
  if (value === undefined || value === null) return {}
  const where = `${file}: "defaults"`
  if (!isTable(value)) {
    problems.push(`${where} is ${quotedValue(value)}. It must be a mapping of ${listed(DEFAULT_KEYS)}.`)
    return {}
  }
  problems.push(...unknownKeys(value, DEFAULT_KEYS, where))
  limitsIn(value.limits, TASK_LIMITS, `${where}: "limits"`, problems)
  return value
}

/** Branches and folders are named after the id, and some file systems ignore case. */
function duplicateIds(tasks: readonly BacklogTask[], file: string): readonly string[] {
  const seen = new Map<string, string>()
  return tasks.flatMap(({ id }) => {
    const before = seen.get(id.toLowerCase())
    seen.set(id.toLowerCase(), id)
    if (before === undefined) return []
    return before === id
      ? [`${file}: two tasks have the id "${id}". Rename one of them.`]
      : [`${file}: the ids "${before}" and "${id}" differ only in upper and lower case. Rename one of them.`]
  })
}

/** Dependencies that can never be met: missing tasks and cycles. */
function dependencyProblems(tasks: readonly BacklogTask[], file: string): readonly string[] {
  const known = new Map(tasks.map((task) => [task.id, task]))
  const missing = tasks.flatMap(({ id, after }) =>
    after
      .filter((each) => !known.has(each))
      .map(
        (each) =>
          `${file}: the task "${id}" waits for "${each}", which is not in the list. Add that task, or remove it from "after".`,
      ),
  )
  if (missing.length > 0) return missing
  const cycle = findCycle(tasks, known)
  if (cycle === undefined) return []
  return [`${file}: the tasks ${cycle.map((id) => `"${id}"`).join(' -> ')} wait for each other. Remove one "after".`]
}

/** Finds one cycle, each task before the one it waits for. Not recursive, because a list can be very long. */
function findCycle(
  tasks: readonly BacklogTask[],
  known: ReadonlyMap<string, BacklogTask>,
): readonly string[] | undefined {
  const free = new Set<string>()
  for (const { id: first } of tasks) {
    const path: { readonly id: string; readonly rest: string[] }[] = []
    const onPath = new Set<string>()
    const enter = (id: string): void => {
      path.push({ id, rest: [...(known.get(id)?.after ?? [])] })
      onPath.add(id)
    }
    if (!free.has(first)) enter(first)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest.shift()
      if (next === undefined) {
        path.pop()
        onPath.delete(top.id)
        free.add(top.id)
      } else if (onPath.has(next)) {
        const ids = path.map(({ id }) => id)
        return [...ids.slice(ids.indexOf(next)), next]
      } else if (!free.has(next)) enter(next)
    }
  }
  return undefined
}
