import type { ReadOptions, Scalar, Signals } from '../types.ts'
import type { Block } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import { blockerOf, heard, isDeciding, isTemplate, oddities, vetoesOf } from './meaning.ts'
import { isPlaceholder, typed, wordOf } from './values.ts'

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

export type Weighed = Pick<Signals, 'claims' | 'vetoes' | 'said' | 'blocks' | 'source'> &
  Pick<Partial<Signals>, 'claim' | 'blocker'> & { readonly problems: readonly string[] }

const SAID_LIMIT = 300

/** Many statements, one answer: the last complete block wins, and a "no" goes only when its own dialect takes it back. */
export function weigh(statements: readonly Statement[], options: ReadOptions, finished: boolean): Weighed {
  const claims: Record<string, boolean> = {}
  const vetoes = new Set<string>()
  const problems = new Set<string>()
  const winners: Block[] = []
  let claim: { readonly at: number; readonly yes: boolean; readonly dialect: string } | undefined
  let blocker: { readonly at: number; readonly text: string } | undefined
  const answers = new Set<string>()
  const lastSpoken = Math.max(-2, ...statements.filter(({ way }) => way === 'spoken').map(({ block }) => block.at))

  for (const dialect of dialects) {
    const own = statements.filter(({ block }) => block.dialect === dialect.name && !block.report)
    const spoken = own.filter(({ way }) => way === 'spoken')
    const isWhole = ({ block, closes }: Statement) =>
      block.complete || (closes && finished && dialect.claim(block.fields, options) !== undefined)
    const last = spoken.findLastIndex(isWhole)
    const winner = spoken[last]?.block
    for (const { block } of spoken.filter(isWhole)) {
      const yes = dialect.claim(block.fields, options)
      if (yes !== undefined) answers.add(`${dialect.name} says ${yes ? 'yes' : 'no'}`)
    }

    // A block that was cut off after the last whole one claims nothing, but its "no" is heard.
    const heardBlocks = spoken.slice(Math.max(last, 0)).map(({ block }) => block)
    for (const block of heardBlocks) {
      for (const veto of vetoesOf(dialect.name, block.fields)) vetoes.add(veto)
      for (const odd of [...oddities(dialect.name, block.fields), ...(dialect.odd?.(block.fields, options) ?? [])])
        problems.add(odd)
      if (!block.complete) problems.add(`${dialect.name}: the block is incomplete`)
      else if (block.fields.length === 0) problems.add(`${dialect.name}: the block has no fields`)
      const text = blockerOf(block.fields)
      if (text !== undefined && (blocker === undefined || block.at >= blocker.at)) blocker = { at: block.at, text }
    }
    if (winner) {
      const yes = dialect.claim(winner.fields, options)
      if (yes !== undefined) {
        claims[dialect.name] = yes
        if (claim === undefined || winner.at > claim.at) claim = { at: winner.at, yes, dialect: dialect.name }
      }
    }

    const shown = own.findLast(({ way }) => way !== 'spoken')
    if (shown) {
      const template = shown.way === 'template'
      problems.add(
        `${dialect.name}: a block ${template ? 'still has its placeholders' : 'is shown, not said'}; it claims nothing`,
      )
      // Agents fence their real status and go on talking. Its "no" is believed while nothing is said after it.
      if (shown.block.at > lastSpoken) for (const veto of vetoesOf(dialect.name, shown.block.fields)) vetoes.add(veto)
      if (template && heardBlocks.length === 0) winners.push(shown.block)
    }
    winners.push(...heardBlocks)
  }
  if ([...answers].some((answer) => answer.endsWith('yes')) && [...answers].some((answer) => answer.endsWith('no')))
    problems.add(`blocks contradict each other: ${[...answers].join(', ')}; the last one counts`)

  const reports = statements.filter(({ block, way }) => way === 'spoken' && block.report).map(({ block }) => block)
  return {
    ...(claim ? { claim: claim.yes } : {}),
    ...(blocker ? { blocker: blocker.text } : {}),
    claims,
    vetoes: [...vetoes].slice(0, 50),
    said: sayings([...reports, ...winners.toSorted((one, two) => one.at - two.at)], claims),
    blocks: dialects.map(({ name }) => name).filter((name) => winners.some((block) => block.dialect === name)),
    source: claim?.dialect ?? 'none',
    problems: [...problems],
  }
}

/** The fields of all winning blocks in one record; the later block speaks last. */
function sayings(blocks: readonly Block[], claims: Readonly<Record<string, boolean>>): Record<string, Scalar> {
  const said = new Map<string, Scalar>()
  for (const { dialect, fields } of blocks) {
    const template = !Object.hasOwn(claims, dialect) && isTemplate(fields)
    for (const field of fields) {
      const { key, value } = field
      // In a template a filled-in answer was filled in by its author: nobody may take it for the agent's word.
      if (template && isDeciding(key) && !isPlaceholder(value)) continue
      if (said.size >= SAID_LIMIT && !said.has(key)) continue
      said.set(key, isDeciding(key) ? decided(heard(field), value) : typed(value))
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
