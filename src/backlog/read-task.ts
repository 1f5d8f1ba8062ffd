import { DEFAULT_KEYS, TASK_KEYS, TASK_LIMITS } from './keys.ts'
import type { TextOf } from './read.ts'
import type { BacklogTask } from './types.ts'
import { isTable, limitsIn, shown, type Table, unknownKeys } from './values.ts'

export interface TaskPlace {
  readonly file: string
  /** The how-manieth entry, from 0. */
  readonly at: number
  readonly defaults: Table
  readonly textOf: TextOf
}

export interface TaskRead {
  readonly task?: BacklogTask
  readonly problems: readonly string[]
}

/** The part of a branch's name that git and every file system take as it is. */
const ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,59}$/
const LONGEST_TITLE = 80

/** One entry of the list. */
export function readTask(entry: unknown, { file, at, defaults, textOf }: TaskPlace): TaskRead {
  if (!isTable(entry))
    return { problems: [`${file}: task ${at + 1} is ${shown(entry)}; it must be a table with id and prompt`] }
  const { id } = entry
  if (typeof id !== 'string' && typeof id !== 'number')
    return {
      problems: [`${file}: task ${at + 1} has no id; give it a short one that stays the same, like "login-form"`],
    }
  const name = String(id)
  if (!fitsBranch(name))
    return {
      problems: [
        `${file}: task ${at + 1} has the id ${shown(name)}; an id names a branch: up to 60 letters, digits, ".", "_" and "-", beginning with a letter or digit and not ending with "." or ".lock"`,
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
  problems.push(`${where}: "${key}" is ${shown(value)}; it must be a text, or be left out`)
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
    return refuse(`has the promptFile ${shown(promptFile)}; it must be the path of a file`)
  const read = textOf(promptFile)
  if ('problem' in read) return refuse(`has the promptFile ${shown(promptFile)}, which ${read.problem}`)
  return read.text.trim() === '' ? refuse(`has the promptFile ${shown(promptFile)}, which is empty`) : read.text
}

function afterIn(value: unknown, where: string, problems: string[]): readonly string[] {
  if (value === undefined || value === null) return []
  const all: readonly unknown[] = Array.isArray(value) ? value : [value]
  const ids = all.flatMap((each) => (typeof each === 'string' || typeof each === 'number' ? [String(each)] : []))
  if (ids.length < all.length) problems.push(`${where}: "after" is ${shown(value)}; it must be a list of ids`)
  return [...new Set(ids)]
}

function priorityIn(value: unknown, where: string, problems: string[]): number {
  if (value === undefined || value === null) return 0
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  problems.push(`${where}: "priority" is ${shown(value)}; it must be a whole number, higher is earlier`)
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
