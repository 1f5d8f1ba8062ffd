import type { ReadOptions, Scalar, Signals } from '../types.ts'
import type { Block, Dialect } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import { blockerOf, fieldAnswer, fieldProblems, isDeciding, vetoesOf } from './field-answers.ts'
import { lastOf } from './fields.ts'
import { typed, wordOf } from './values.ts'

/**
 * How a block was said. `spoken`: the agent's own statement. `template`: its placeholders still stand in it. `shown`: in
 * a fence that is not the end of the message, or as an example. Only what is spoken claims.
 */
export interface Statement {
  readonly block: Block
  readonly way: 'spoken' | 'template' | 'shown'
  /** The message ends with this block. */
  readonly closes: boolean
}

export type ResolvedStatements = Pick<Signals, 'claims' | 'vetoes' | 'said' | 'blocks' | 'source'> &
  Pick<Partial<Signals>, 'claim' | 'blocker'> & { readonly problems: readonly string[] }

const SAID_LIMIT = 300

/** Many statements, one answer: the last complete block wins, and a "no" goes only when its own dialect takes it back. */
export function resolveStatements(
  statements: readonly Statement[],
  options: ReadOptions,
  finished: boolean,
): ResolvedStatements {
  const lastSpoken = Math.max(-2, ...statements.filter(({ way }) => way === 'spoken').map(({ block }) => block.at))
  const opinions = dialects.map((dialect) => {
    const own = statements.filter(({ block }) => block.dialect === dialect.name && !block.report)
    return listen(dialect, own, options, finished, lastSpoken)
  })
  const heardBlocks = opinions.flatMap(({ blocks }) => blocks).toSorted((one, two) => one.block.at - two.block.at)
  const reports = statements.filter(({ block, way }) => way === 'spoken' && block.report)
  const claiming = opinions.filter(({ claim }) => claim !== undefined).toSorted((one, two) => one.at - two.at)
  const claim = claiming.at(-1)
  const blocker = heardBlocks.flatMap(({ block, spoken }) => (spoken ? (blockerOf(block.fields) ?? []) : [])).at(-1)
  const answers = opinions.flatMap(({ name, answers }) =>
    answers.map((yes) => ({ yes, words: `${name} says ${yes ? 'yes' : 'no'}` })),
  )
  const contradict = new Set(answers.map(({ yes }) => yes)).size > 1
  return {
    ...(claim?.claim === undefined ? {} : { claim: claim.claim }),
    ...(blocker === undefined ? {} : { blocker }),
    claims: Object.fromEntries(claiming.map(({ name, claim }) => [name, claim === true])),
    vetoes: [...new Set(opinions.flatMap(({ vetoes }) => vetoes))].slice(0, 50),
    said: sayings([...reports.map(({ block }) => ({ block, whole: false })), ...heardBlocks]),
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

interface Heard {
  readonly block: Block
  readonly spoken: boolean
  /** Complete, or at least not cut off before what matters. */
  readonly whole: boolean
}

interface Opinion {
  readonly name: string
  readonly claim: boolean | undefined
  /** Where the block stands that the claim came from. */
  readonly at: number
  /** Every different answer that was given, in order. */
  readonly answers: readonly boolean[]
  readonly vetoes: readonly string[]
  readonly blocks: readonly Heard[]
  readonly problems: readonly string[]
}

/** What one dialect has to say: its last whole block, and the "no" of what came after it. */
function listen(
  dialect: Dialect,
  own: readonly Statement[],
  options: ReadOptions,
  finished: boolean,
  lastSpoken: number,
): Opinion {
  const { name, needs } = dialect
  const isWhole = ({ block, closes }: Statement) =>
    block.complete || (closes && finished && needs !== undefined && lastOf(block.fields, needs) !== undefined)
  const spoken = own
    .filter(({ way }) => way === 'spoken')
    .map((statement): Heard => ({ block: statement.block, spoken: true, whole: isWhole(statement) }))
  const last = spoken.findLastIndex(({ whole }) => whole)
  // A block that was cut off after the last whole one claims nothing, but its "no" is heard.
  const blocks = spoken.slice(Math.max(last, 0))
  const answers = spoken.flatMap(({ block, whole }) => (whole ? (dialect.claim(block.fields, options) ?? []) : []))
  const unspoken = own.findLast(({ way }) => way !== 'spoken')
  const problems = blocks.flatMap(({ block }) => [
    ...fieldProblems(name, block.fields),
    ...(dialect.odd?.(block.fields, options) ?? []),
    ...(block.complete ? [] : [`${name}: the block is incomplete`]),
    ...(block.complete && block.fields.length === 0 ? [`${name}: the block has no fields`] : []),
  ])
  if (unspoken)
    problems.push(
      `${name}: a block ${unspoken.way === 'template' ? 'still has its placeholders' : 'is shown, not said'}; it claims nothing`,
    )
  // Agents fence their real status and go on talking. Its "no" is believed while nothing is said after it.
  const believed = unspoken && unspoken.block.at > lastSpoken ? [unspoken.block] : []
  const winner = spoken[last]?.block
  return {
    name,
    claim: winner && dialect.claim(winner.fields, options),
    at: winner?.at ?? -2,
    answers: [...new Set(answers)],
    vetoes: [...blocks.map(({ block }) => block), ...believed].flatMap(({ fields }) => vetoesOf(name, fields)),
    blocks:
      blocks.length === 0 && unspoken?.way === 'template'
        ? [{ block: unspoken.block, spoken: false, whole: false }]
        : blocks,
    problems,
  }
}

/** The fields of all winning blocks in one record; the later block speaks last. */
function sayings(heardBlocks: readonly Pick<Heard, 'block' | 'whole'>[]): Record<string, Scalar> {
  const said = new Map<string, Scalar>()
  for (const { block, whole } of heardBlocks) {
    for (const field of block.fields) {
      const { key, value } = field
      const how = isDeciding(key) ? fieldAnswer(field) : undefined
      // A "yes" in a template or in a block that was cut off is nobody's word: no preset may take it for one.
      if (how === 'yes' && !whole) continue
      if (said.size >= SAID_LIMIT && !said.has(key)) continue
      said.set(key, how === undefined ? typed(value) : decided(how, value))
    }
  }
  return Object.fromEntries(said)
}

/** A deciding word without its remark and full stop, in the case it was written in. */
function decided(how: string, value: string): Scalar {
  if (how !== 'yes' && how !== 'no') return value
  const { word } = wordOf(value)
  return word === 'TRUE' || word === 'FALSE'
    ? word === 'TRUE'
    : (/[A-Za-z][\w -]*/.exec(value)?.[0].slice(0, word.length) ?? value)
}
