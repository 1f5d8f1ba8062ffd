import { type Field, lastValue } from './fields.ts'
import { isNone, isPlaceholder, wordOf } from './values.ts'

/** What the fields of a block mean, in one table for every dialect. */

interface AnswerWords {
  readonly yes: string
  readonly no: readonly string[]
}

const TRUE_FALSE: AnswerWords = { yes: 'TRUE', no: ['FALSE'] }
const DECIDING: Readonly<Record<string, AnswerWords>> = {
  EXIT_STATUS: { yes: 'COMPLETE', no: ['CONTINUE', 'BLOCKED'] },
  EXIT_SIGNAL: TRUE_FALSE,
  PHASE_COMPLETE: TRUE_FALSE,
  STATUS: { yes: 'COMPLETE', no: ['IN_PROGRESS', 'BLOCKED'] },
  COMPLETION_STATUS: { yes: 'COMPLETE', no: ['IN_PROGRESS', 'INCOMPLETE', 'BLOCKED'] },
  'TOOL.STATUS': { yes: 'COMPLETE', no: ['CONTINUE', 'BLOCKED'] },
}

export type FieldAnswer = 'yes' | 'no' | 'unknown'

export function isDeciding(key: string): boolean {
  return Object.hasOwn(DECIDING, key)
}

export function fieldAnswer({ key, value }: Field): FieldAnswer {
  const answers = DECIDING[key]
  if (!answers) return 'unknown'
  const { word, doubtful } = wordOf(value)
  if (answers.no.includes(word)) return 'no'
  // A "yes" with a condition isn't a yes. A "no" is always a no.
  return word === answers.yes && !doubtful ? 'yes' : 'unknown'
}

/** The yes or no of one key. If a block contains both, the "no" counts. */
export function answerOf(fields: readonly Field[], key: string): boolean | undefined {
  const answers = fields.filter((field) => field.key === key).map(fieldAnswer)
  if (answers.includes('no')) return false
  return answers.at(-1) === 'yes' ? true : undefined
}

/** The first of these keys that is in the block decides, whatever its value. */
export function firstAnswer(fields: readonly Field[], ...keys: readonly string[]): boolean | undefined {
  const key = keys.find((candidate) => lastValue(fields, candidate) !== undefined)
  return key === undefined ? undefined : answerOf(fields, key)
}

export function isTemplate(fields: readonly Field[]): boolean {
  return fields.some(({ value }) => isPlaceholder(value))
}

const REMAINING = new Set(['REMAINING_WORK', 'TOOL.REMAINING_WORK'])

/** Every explicit "not done" of a block, as text. */
export function vetoesOf(fields: readonly Field[]): string[] {
  return fields.flatMap((field) => {
    const { key, value } = field
    const says = REMAINING.has(key)
      ? !isPlaceholder(value) && !isNone(value)
      : isDeciding(key) && fieldAnswer(field) === 'no'
    return says ? [`the agent reports ${key.replace(/^TOOL\./, '')}: ${shorten(value)}`] : []
  })
}

const REASONS = [
  'BLOCKERS',
  'BLOCKER',
  'REASON',
  'EXIT_REASON',
  'TOOL.REASON',
  'RECOMMENDATION',
  'REMAINING_WORK',
  'TOOL.REMAINING_WORK',
]

/** The blocker the agent reports, if any. */
export function blockerOf(fields: readonly Field[]): string | undefined {
  const blocked = fields.some((field) => isDeciding(field.key) && wordOf(field.value).word === 'BLOCKED')
  if (!blocked) return undefined
  for (const key of REASONS) {
    const reason = lastValue(fields, key)
    if (reason !== undefined && !isNone(reason) && !isPlaceholder(reason)) return reason
  }
  return 'blocked, but no reason given'
}

/** Problems of a block, in plain words. */
export function fieldProblems(dialect: string, fields: readonly Field[]): string[] {
  const problems: string[] = []
  for (const field of fields) {
    if (isDeciding(field.key) && fieldAnswer(field) === 'unknown')
      problems.push(`${dialect}: ${field.key} has the unknown value "${shorten(field.value)}"`)
  }
  const twice = fields.find(
    ({ key, value }) => isDeciding(key) && fields.some((other) => other.key === key && other.value !== value),
  )
  if (twice) problems.push(`${dialect}: ${twice.key} appears twice in one block with different values`)
  return problems
}

function shorten(value: string): string {
  return value.length > 160 ? `${value.slice(0, 159)}…` : value
}
