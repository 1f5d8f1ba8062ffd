import type { ReadOptions, Signals, Transcript } from '../types.ts'
import { type Block, linesOf } from './dialect.ts'
import { dialects } from './dialects/index.ts'
import { type Echo, echoDetector } from './echo.ts'
import { errorOf } from './error-line.ts'
import { isTemplate } from './field-answers.ts'
import { fieldOf } from './fields.ts'
import { classifyLines, clean, isQuote, type Line } from './lines.ts'
import { findPhrases } from './phrases.ts'
import { questionIn } from './question.ts'
import { isQuotedBlock, lastTextLine } from './quoted-blocks.ts'
import { resolveStatements, type Statement } from './resolve-statements.ts'
import { findRetraction } from './retraction.ts'
import { isPlaceholder } from './values.ts'

const FINAL_LIMIT = 256 * 1024
const TEXT_LIMIT = 2_000
const PROBLEM_LIMIT = 20
/** More blocks than this in one message are noise. The last ones count. */
const BLOCKS_LIMIT = 200

/** Finds the user's own patterns. Passed in, because its library is too slow to load for every read. */
export type FindPatterns = (patterns: readonly string[], lines: readonly string[]) => PatternsFound
export interface PatternsFound {
  readonly phrases: readonly string[]
  readonly problems: readonly string[]
}

/** Reads the agent's statements. Never throws: anything wrong with the text becomes a problem. */
export function read(transcript: Transcript, options: ReadOptions = {}, findPatterns?: FindPatterns): Signals {
  const final = transcript.final.slice(-FINAL_LIMIT)
  const lines = classifyLines(clean(final))
  const echo = echoDetector(options.prompt, lines)
  const blocks = findBlocks(lines, transcript)
  const { statements, echoed } = statementsOf(blocks, lines, echo)
  const weighed = resolveStatements(statements, options, transcript.finished)

  const back = weighed.claim === true ? textAfterClaim(statements, lines, echo) : undefined
  const words = ownSentences(lines, blocks, echo)
  const earlier = transcript.earlier.map(clean).filter((line) => !isQuote(line) && !echo.singleLine(line))
  const hints = [...earlier, ...words]
  const found = findPatterns?.(options.patterns ?? [], hints) ?? { phrases: [], problems: [] }

  const problems = [
    ...transcript.problems,
    ...weighed.problems,
    ...echoed.map((dialect) => `${dialect}: ignored a block that only repeats the prompt`),
    ...found.problems,
  ]
  const task = textOf(weighed.said.CURRENT_TASK) ?? textOf(weighed.said.TASK) ?? taskLine(lines, echo)
  const phase = textOf(weighed.said.PHASE)
  const phrases = findPhrases(hints)
  const held = linesOf(blocks)
  const isProse = (index: number): boolean => lines[index]?.kind === 'own' && !held.has(index) && !echo.line(index)
  const reportsDone = phrases.some((name) => DONE_WORDS.test(name))
  const question = weighed.claim === true ? undefined : questionIn(lines, isProse, reportsDone)
  const error = errorOf(
    transcript.errors,
    lines.filter(({ kind }) => kind !== 'hidden' && kind !== 'quoted').map(({ text }) => text),
  )
  return {
    ...(weighed.claim === undefined ? {} : { claim: weighed.claim }),
    claims: weighed.claims,
    vetoes:
      back === undefined
        ? weighed.vetoes
        : [...weighed.vetoes, `the agent takes it back: ${wellFormed(back.slice(0, 200))}`],
    ...(task === undefined ? {} : { task }),
    ...(phase === undefined ? {} : { phase: phase.toUpperCase() }),
    ...(weighed.blocker === undefined ? {} : { blocker: weighed.blocker }),
    ...(question === undefined ? {} : { question: wellFormed(question) }),
    said: weighed.said,
    blocks: weighed.blocks,
    phrases: [...phrases, ...found.phrases],
    text: wellFormed(final.slice(-TEXT_LIMIT)),
    length: transcript.bytes,
    ...(error === undefined ? {} : { error }),
    denials: transcript.denials,
    source: weighed.source,
    problems: [...new Set(problems)].slice(0, PROBLEM_LIMIT),
  }
}

/** Dialects with a header go first, so that bare fields inside their blocks aren't read twice. */
export function findBlocks(lines: readonly Line[], transcript: Transcript): Block[] {
  const find = (bare: boolean, usedLines: ReadonlySet<number>) =>
    dialects
      .filter((dialect) => (dialect.headerless ?? false) === bare)
      .map((dialect) => dialect.find({ lines, transcript, usedLines }))
  const headed = find(false, new Set())
  const all = [...headed, ...find(true, linesOf(headed.flat()))]
  return all.flatMap((found) => found.slice(-BLOCKS_LIMIT)).toSorted((one, two) => one.at - two.at)
}

/** Separates the agent's statements from blocks it only shows. Quoted, hidden and echoed blocks are dropped. */
function statementsOf(
  blocks: readonly Block[],
  lines: readonly Line[],
  echo: Echo,
): { statements: Statement[]; echoed: string[] } {
  const blockLines = linesOf(blocks)
  const prose = lastTextLine(lines, blockLines)
  const statements: Statement[] = []
  const echoed = new Set<string>()
  for (const block of blocks) {
    // Tool calls and fields around the message are on no line, so they are neither quoted, echoed nor shown.
    if (lines.slice(block.at, block.end + 1).some(({ kind }) => kind === 'quoted' || kind === 'hidden')) continue
    const closes = block.at > prose
    if (echo.block(block.at, block.end, { closes, blockLines })) {
      echoed.add(block.dialect)
      continue
    }
    const shown = isQuotedBlock(lines, block.at, block.end, closes)
    statements.push({ block, status: shown ? 'shown' : isTemplate(block.fields) ? 'template' : 'spoken', closes })
  }
  return { statements, echoed: [...echoed] }
}

/** Phrases that say the work is finished. */
const DONE_WORDS = /^(?:cub|doyaken|ralph-done):/

/** The agent's own text after its last block. Tool calls and fields around the message have no position in the text. */
function textAfterClaim(statements: readonly Statement[], lines: readonly Line[], echo: Echo): string | undefined {
  const ends = statements.flatMap(({ block, status }) => (status === 'spoken' && lines[block.at] ? [block.end] : []))
  const own = (index: number) => lines[index]?.kind === 'own' && !echo.line(index)
  return ends.length === 0 ? undefined : findRetraction(lines, own, Math.max(...ends))
}

const FREE_TEXT = new Set(['EXIT_REASON', 'REASON', 'RECOMMENDATION', 'SUMMARY'])

/** The agent's own sentences, where phrases count: no code, quotes or prompt text, and only free text of blocks. */
function ownSentences(lines: readonly Line[], blocks: readonly Block[], echo: Echo): string[] {
  const held = linesOf(blocks)
  return lines.flatMap(({ text, blank, kind }, index) => {
    if (blank) return []
    if (held.has(index)) {
      const field = fieldOf(text)
      if (/<\/promise>/i.test(text) && kind === 'own') return echo.line(index) ? [] : [text]
      const free = field && FREE_TEXT.has(field.key.toUpperCase()) && !isPlaceholder(field.value)
      return free && kind !== 'hidden' && !echo.line(index) ? [field.value] : []
    }
    return kind === 'own' && !echo.line(index) ? [text] : []
  })
}

function taskLine(lines: readonly Line[], echo: Echo): string | undefined {
  const tasks = lines.flatMap(({ text, kind }, index) => {
    const field = kind === 'own' && text.includes('TASK') && !echo.line(index) ? fieldOf(text) : undefined
    return field?.key === 'TASK' || field?.key === 'CURRENT_TASK' ? (textOf(field.value) ?? []) : []
  })
  return tasks.at(-1)
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'boolean') return undefined
  const text = String(value).trim()
  return text === '' || isPlaceholder(text) ? undefined : text
}

/** Truncation can split a surrogate pair, and agents print lone surrogates. Neither may reach the journal. */
function wellFormed(text: string): string {
  return text
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}
