import { type Field, lastOf } from './fields.ts'
import { isNone, isPlaceholder, wordOf } from './values.ts'

/** What the fields of a block say about being done. The same table serves every dialect. */

interface Answers {
  readonly yes: string
  readonly no: readonly string[]
}

const TRUE_FALSE: Answers = { yes: 'TRUE', no: ['FALSE'] }
const DECIDING: Readonly<Record<string, Answers>> = {
  EXIT_STATUS: { yes: 'COMPLETE', no: ['CONTINUE', 'BLOCKED'] },
  EXIT_SIGNAL: TRUE_FALSE,
  PHASE_COMPLETE: TRUE_FALSE,
  STATUS: { yes: 'COMPLETE', no: ['IN_PROGRESS', 'BLOCKED'] },
  COMPLETION_STATUS: { yes: 'COMPLETE', no: ['IN_PROGRESS', 'INCOMPLETE', 'BLOCKED'] },
  'TOOL.STATUS': { yes: 'COMPLETE', no: ['CONTINUE', 'BLOCKED'] },
}

export type FieldAnswer = 'yes' | 'no' | 'unknown' | 'placeholder'

export function isDeciding(key: string): boolean {
  return Object.hasOwn(DECIDING, key)
}

export function fieldAnswer({ key, value }: Field): FieldAnswer {
  const answers = DECIDING[key]
  if (!answers) return 'unknown'
  if (isPlaceholder(value)) return 'placeholder'
  const { word, doubtful } = wordOf(value)
  if (answers.no.includes(word)) return 'no'
  // A "yes" with a condition behind it is no yes; a "no" stays one whatever follows it.
  return word === answers.yes && !doubtful ? 'yes' : 'unknown'
}

/** The yes or no of one key. Said twice in one block with different answers, the "no" counts. */
export function answerOf(fields: readonly Field[], key: string): boolean | undefined {
  const answers = fields.filter((field) => field.key === key).map(fieldAnswer)
  if (answers.includes('no')) return false
  return answers.at(-1) === 'yes' ? true : undefined
}

/** The first of these keys that stands in the block decides, whatever it says. */
export function firstAnswer(fields: readonly Field[], ...keys: readonly string[]): boolean | undefined {
  const key = keys.find((candidate) => lastOf(fields, candidate) !== undefined)
  return key === undefined ? undefined : answerOf(fields, key)
}

export function isTemplate(fields: readonly Field[]): boolean {
  return fields.some(({ value }) => isPlaceholder(value))
}

const REMAINING = new Set(['REMAINING_WORK', 'TOOL.REMAINING_WORK'])

/** Every explicit "not done" of a block, in words. */
export function vetoesOf(dialect: string, fields: readonly Field[]): string[] {
  return fields.flatMap((field) => {
    const { key, value } = field
    const says = REMAINING.has(key)
      ? !isPlaceholder(value) && !isNone(value)
      : isDeciding(key) && fieldAnswer(field) === 'no'
    return says ? [`${dialect} says ${key}: ${short(value)}`] : []
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

/** What stands in the agent's way, when it says that something does. */
export function blockerOf(fields: readonly Field[]): string | undefined {
  const blocked = fields.some((field) => isDeciding(field.key) && wordOf(field.value).word === 'BLOCKED')
  if (!blocked) return undefined
  for (const key of REASONS) {
    const reason = lastOf(fields, key)
    if (reason !== undefined && !isNone(reason) && !isPlaceholder(reason)) return reason
  }
  return 'blocked, without a reason'
}

/** What is odd about a block, in plain words. */
export function fieldProblems(dialect: string, fields: readonly Field[]): string[] {
  const odd: string[] = []
  for (const field of fields) {
    if (isDeciding(field.key) && fieldAnswer(field) === 'unknown')
      odd.push(`${dialect}: ${field.key} has the unknown value "${short(field.value)}"`)
  }
  const twice = fields.find(
    ({ key, value }) => isDeciding(key) && fields.some((other) => other.key === key && other.value !== value),
  )
  if (twice) odd.push(`${dialect}: ${twice.key} stands twice in one block with different values`)
  return odd
}

function short(value: string): string {
  return value.length > 160 ? `${value.slice(0, 159)}…` : value
}
