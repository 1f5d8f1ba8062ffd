import type { ReadOptions, Scalar, Signals } from '../types.ts'
import type { Block, Dialect } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import { blockerOf, fieldAnswer, fieldProblems, isDeciding, vetoesOf } from './field-answers.ts'
import { lastValue } from './fields.ts'
import { parseScalar, wordOf } from './values.ts'

/**
 * The status of a block. `spoken`: a statement of the agent. `template`: has unfilled placeholders. `shown`: an example, or in a
 * fence before the end of the message. Only `spoken` blocks can claim.
 */
export interface Statement {
  readonly block: Block
  readonly status: 'spoken' | 'template' | 'shown'
  /** Whether the message ends with this block. */
  readonly closes: boolean
}

export type ResolvedStatements = Pick<Signals, 'claims' | 'vetoes' | 'said' | 'blocks' | 'source' | 'problems'> & {
  readonly claim: boolean | undefined
  readonly blocker: string | undefined
}

const FIELD_LIMIT = 300

/** Resolves many statements to one answer: the last complete block wins, and only the same dialect can withdraw its "no". */
export function resolveStatements(
  statements: readonly Statement[],
  options: ReadOptions,
  finished: boolean,
): ResolvedStatements {
  const lastSpoken = statements.findLastIndex(({ block, status }) => status === 'spoken' && !block.fieldsOnly)
  const uncontradicted = statements.slice(lastSpoken + 1)
  const opinions = dialects.map((dialect) => {
    const own = statements.filter(({ block }) => block.dialect === dialect.name && !block.fieldsOnly)
    return answerOfDialect(dialect, own, options, finished, uncontradicted)
  })
  const heardBlocks = opinions.flatMap(({ blocks }) => blocks).toSorted((one, two) => one.block.at - two.block.at)
  const reports = statements.filter(({ block, status }) => status === 'spoken' && block.fieldsOnly)
  const claiming = opinions.filter(({ claim }) => claim !== undefined).toSorted((one, two) => one.at - two.at)
  const claim = claiming.at(-1)
  const blocker = heardBlocks.flatMap(({ block, spoken }) => (spoken ? (blockerOf(block.fields) ?? []) : [])).at(-1)
  const answers = opinions.flatMap(({ name, answers }) =>
    answers.map((yes) => ({ yes, words: `${name} says ${yes ? 'yes' : 'no'}` })),
  )
  const contradict = new Set(answers.map(({ yes }) => yes)).size > 1
  return {
    claim: claim?.claim,
    blocker,
    claims: Object.fromEntries(claiming.map(({ name, claim }) => [name, claim === true])),
    vetoes: [...new Set(opinions.flatMap(({ vetoes }) => vetoes))].slice(0, 50),
    said: mergedFields([...reports, ...heardBlocks]),
    blocks: opinions.filter(({ blocks }) => blocks.length > 0).map(({ name }) => name),
    source: claim?.name ?? 'none',
    problems: [
      ...opinions.flatMap(({ problems }) => problems),
      ...(contradict
        ? [`blocks contradict each other: ${answers.map(({ words }) => words).join(', ')}; the last one counts`]
        : []),
    ],
  }
}

interface ReadBlock {
  readonly block: Block
  readonly spoken: boolean
  /** Complete, or at least not truncated before the deciding field. */
  readonly usable: boolean
}

interface DialectAnswer {
  readonly name: string
  readonly claim: boolean | undefined
  /** The line of the block with the claim. */
  readonly at: number
  /** All distinct answers, in order. */
  readonly answers: readonly boolean[]
  readonly vetoes: readonly string[]
  readonly blocks: readonly ReadBlock[]
  readonly problems: readonly string[]
}

/** The answer of one dialect: its last complete block, and any "no" after it. */
function answerOfDialect(
  dialect: Dialect,
  own: readonly Statement[],
  options: ReadOptions,
  finished: boolean,
  uncontradicted: readonly Statement[],
): DialectAnswer {
  const { name, requiredField } = dialect
  const isWhole = ({ block, closes }: Statement) =>
    block.complete ||
    (closes && finished && requiredField !== undefined && lastValue(block.fields, requiredField) !== undefined)
  const spoken = own
    .filter(({ status }) => status === 'spoken')
    .map((statement): ReadBlock => ({ block: statement.block, spoken: true, usable: isWhole(statement) }))
  const last = spoken.findLastIndex(({ usable }) => usable)
  // A truncated block after the last complete one claims nothing, but its "no" counts.
  const blocks = spoken.slice(Math.max(last, 0))
  const answers = spoken.flatMap(({ block, usable }) => (usable ? (dialect.claim(block.fields, options) ?? []) : []))
  const unspoken = own.findLast(({ status }) => status !== 'spoken')
  const problems = blocks.flatMap(({ block }) => [
    ...fieldProblems(name, block.fields),
    ...(dialect.problems?.(block.fields, options) ?? []),
    ...(block.complete ? [] : [`${name}: the block is incomplete`]),
    ...(block.complete && block.fields.length === 0 ? [`${name}: the block has no fields`] : []),
  ])
  if (unspoken)
    problems.push(
      `${name}: ignored a block ${unspoken.status === 'template' ? 'with unfilled placeholders' : 'that is only shown, such as an example'}`,
    )
  // Agents put their real status in a fence and keep talking. Its "no" counts as long as nothing after it contradicts it.
  const believed = unspoken && uncontradicted.includes(unspoken) ? [unspoken.block] : []
  const winner = spoken[last]?.block
  return {
    name,
    claim: winner && dialect.claim(winner.fields, options),
    at: winner?.at ?? -2,
    answers: [...new Set(answers)],
    vetoes: [...blocks.map(({ block }) => block), ...believed].flatMap(({ fields }) => vetoesOf(fields)),
    blocks:
      blocks.length === 0 && unspoken?.status === 'template'
        ? [{ block: unspoken.block, spoken: false, usable: false }]
        : blocks,
    problems,
  }
}

/** The fields of all winning blocks in one record. Later blocks override earlier ones. */
function mergedFields(heardBlocks: readonly { block: Block; usable?: boolean }[]): Record<string, Scalar> {
  const said = new Map<string, Scalar>()
  for (const { block, usable } of heardBlocks) {
    for (const field of block.fields) {
      const { key, value } = field
      const how = isDeciding(key) ? fieldAnswer(field) : undefined
      // No preset may use a "yes" from a template or a truncated block.
      if (how === 'yes' && !usable) continue
      if (said.size >= FIELD_LIMIT && !said.has(key)) continue
      said.set(key, how === undefined ? parseScalar(value) : deciding(how, value))
    }
  }
  return Object.fromEntries(said)
}

/** The value of a deciding field without remarks and the final period, in its original case. */
function deciding(how: string, value: string): Scalar {
  if (how !== 'yes' && how !== 'no') return value
  const { word } = wordOf(value)
  return word === 'TRUE' || word === 'FALSE'
    ? word === 'TRUE'
    : (/[A-Za-z][\w -]*/.exec(value)?.[0].slice(0, word.length) ?? value)
}
