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

/** The part of a branch's name that git and every file system take as it is. */
const ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,59}$/
const LONGEST_TITLE = 80

/** One entry of the list. */
export function readTask(entry: unknown, { file, at, defaults, textOf }: TaskPlace): TaskRead {
  if (!isTable(entry))
    return { problems: [`${file}: task ${at + 1} is ${quotedValue(entry)}; it must be a table with id and prompt`] }
  const { id } = entry
  if (typeof id !== 'string' && typeof id !== 'number')
    return {
      problems: [`${file}: task ${at + 1} has no id; give it a short one that stays the same, like "login-form"`],
    }
  const name = String(id)
  if (!fitsBranch(name))
    return {
      problems: [
        `${file}: task ${at + 1} has the id ${quotedValue(name)}; an id names a branch: up to 60 letters, digits, ".", "_" and "-", beginning with a letter or digit and not ending with "." or ".lock"`,
      ],
    }
  const where = `${file}: the task "${name}"`
  const problems = unknownKeys(entry, TASK_KEYS, where)
  // What the defaults have wrong is said once, with the defaults.
  const usual = Object.fromEntries(Object.entries(defaults).filter(([key]) => DEFAULT_KEYS.includes(key)))
  const all = { ...usual, ...entry }
  const limits = {
    ...limitsIn(usual.limits, TASK_LIMITS, where, []),
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

const fitsBranch = (id: string): boolean => ID.test(id) && !/\.\.|\.$|\.lock$/i.test(id)

function textIn(table: Table, key: string, where: string, problems: string[]): string | undefined {
  const value = table[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value
  problems.push(`${where}: "${key}" is ${quotedValue(value)}; it must be a text, or be left out`)
  return undefined
}

/** Not a word of it is ours, and not a byte of it is changed. */
function promptIn({ prompt, promptFile }: Table, where: string, textOf: TextOf, problems: string[]): string {
  const refuse = (why: string): string => {
    problems.push(`${where} ${why}`)
    return ''
  }
  if (prompt !== undefined && promptFile !== undefined) return refuse('has a prompt and a promptFile; leave one out')
  if (promptFile === undefined) {
    if (typeof prompt === 'string' && prompt.trim() !== '') return prompt
    return refuse(`has no prompt; say with "prompt" or "promptFile" what is to be done`)
  }
  if (typeof promptFile !== 'string' || promptFile === '')
    return refuse(`has the promptFile ${quotedValue(promptFile)}; it must be the path of a file`)
  const read = textOf(promptFile)
  if ('problem' in read) return refuse(`has the promptFile ${quotedValue(promptFile)}, which ${read.problem}`)
  return read.text.trim() === '' ? refuse(`has the promptFile ${quotedValue(promptFile)}, which is empty`) : read.text
}

function afterIn(value: unknown, where: string, problems: string[]): readonly string[] {
  if (value === undefined || value === null) return []
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  const ids = all.flatMap((each) => (typeof each === 'string' || typeof each === 'number' ? [String(each)] : []))
  if (ids.length < all.length) problems.push(`${where}: "after" is ${quotedValue(value)}; it must be a list of ids`)
  return [...new Set(ids)]
}

function priorityIn(value: unknown, where: string, problems: string[]): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  problems.push(`${where}: "priority" is ${quotedValue(value)}; it must be a whole number, higher is earlier`)
  return 0
}

/** The first line that says something, as a heading would. */
function titleOf(prompt: string, id: string): string {
  const line = prompt.split('\n').find((each) => /[\p{L}\p{N}]/u.test(each)) ?? id
  const plain = line
    .replace(/^[\s#>*-]+/, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return plain.length <= LONGEST_TITLE ? plain : `${plain.slice(0, LONGEST_TITLE - 1)}…`
}

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
      problems: [
        ...problems,
        `${file}: "tasks" is ${quotedValue(value.tasks)}; it must be a list of at least one task`,
      ],
    }
  const tasks: BacklogTask[] = []
  for (const [at, entry] of value.tasks.entries()) {
    const read = readTask(entry, { file, at, defaults, textOf })
    problems.push(...read.problems)
    if (read.task !== undefined) tasks.push(read.task)
  }
  problems.push(...doubles(tasks, file))
  // What is missing because its own entry is wrong would only be a second sentence about the same mistake.
  if (problems.length === 0) problems.push(...dependencyProblems(tasks, file))
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
    problems.push(`${where} is ${quotedValue(value)}; it must be a table of ${listed(DEFAULT_KEYS)}`)
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

/** Dependencies that nobody can ever meet: on tasks that are not there, and on each other. */
function dependencyProblems(tasks: readonly BacklogTask[], file: string): readonly string[] {
  const known = new Map(tasks.map((task) => [task.id, task]))
  const strangers = tasks.flatMap(({ id, after }) =>
    after
      .filter((each) => !known.has(each))
      .map(
        (each) => `${file}: the task "${id}" waits for "${each}", which is not in the list; add it, or leave it out`,
      ),
  )
  if (strangers.length > 0) return strangers
  const circle = circleIn(tasks, known)
  if (circle === undefined) return []
  return [`${file}: the tasks ${circle.map((id) => `"${id}"`).join(' -> ')} wait for each other; take one "after" away`]
}

/** One circle, each task before the one it waits for. Without calls of itself: a list may be as long as it likes. */
function circleIn(
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
