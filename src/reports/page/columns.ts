import type { Answer } from '../../core/types.ts'
import type { Iteration, Report } from './types.ts'

/** What the timeline and the charts need, column by column. The rest is decoded on demand. */
export interface Columns {
  readonly n: readonly number[]
  readonly at: readonly number[]
  readonly claim: readonly number[]
  readonly proof: readonly number[]
  /** Texts by their place in `texts`. */
  readonly verdict: readonly number[]
  readonly rule: readonly number[]
  readonly phase: readonly number[]
  readonly breaker: readonly number[]
  readonly gist: readonly number[]
  /** 1 a rejected claim, 2 a failed iteration or check, 4 tampering, 8 forced, 16 completed, 32 a failed iteration. */
  readonly marks: readonly number[]
  readonly series: Readonly<Record<SeriesName, readonly (number | null)[]>>
  readonly texts: readonly string[]
}

export const SERIES = ['passed', 'failed', 'flaky', 'done', 'items', 'confidence', 'usd', 'tokens', 'seconds'] as const
export type SeriesName = (typeof SERIES)[number]

export const ANSWERS: readonly Answer[] = ['yes', 'no', 'unknown']
export const MARKS = { refused: 1, failure: 2, tampering: 4, forced: 8, opened: 16, broken: 32 } as const

const GIST = 160

export function columnsOf({ iterations }: Pick<Report, 'iterations'>): Columns {
  const texts: string[] = []
  const places = new Map<string, number>()
  const text = (value: string): number => {
    const known = places.get(value)
    if (known !== undefined) return known
    places.set(value, texts.length)
    return texts.push(value) - 1
  }
  const column = <T>(of: (each: Iteration) => T): readonly T[] => iterations.map(of)
  const countsOf = (check: string) =>
    iterations.map(({ evidence }) => evidence.find((each) => each.check === check)?.counts)
  const [tests, checklists] = [countsOf('tests'), countsOf('checklist')]
  return {
    n: column(({ n }) => n),
    at: column(({ at }) => at),
    claim: column(({ claim }) => ANSWERS.indexOf(claim)),
    proof: column(({ proof }) => ANSWERS.indexOf(proof)),
    verdict: column(({ verdict }) => text(verdict)),
    rule: column(({ rule }) => text(rule)),
    phase: column(({ phase }) => text(phase ?? '')),
    breaker: column(({ breaker }) => text(breaker)),
    gist: column((each) => text(gistOf(each))),
    marks: column(marksOf),
    series: {
      passed: tests.map((counts) => counts?.passed ?? null),
      failed: tests.map((counts) => counts?.failed ?? null),
      flaky: iterations.map((each, nth) => flakyOf(each, tests[nth])),
      done: checklists.map((counts) => counts?.done ?? null),
      items: checklists.map((counts) => counts?.total ?? null),
      confidence: column(({ measures }) => measures.confidence ?? measures.score ?? measures.completion ?? null),
      usd: column(({ spent }) => spent.usd),
      tokens: column(({ spent }) => spent.tokens),
      seconds: column(({ spent }) => spent.ms / 1000),
    },
    texts,
  }
}

/** The columns with those of more iterations appended. */
export function withMore(columns: Columns, more: Columns): Columns {
  const first = columns.texts.length
  const both = <T>(one: readonly T[], other: readonly T[]): readonly T[] => [...one, ...other]
  const moved = (one: readonly number[], other: readonly number[]) => [...one, ...other.map((place) => first + place)]
  return {
    n: both(columns.n, more.n),
    at: both(columns.at, more.at),
    claim: both(columns.claim, more.claim),
    proof: both(columns.proof, more.proof),
    verdict: moved(columns.verdict, more.verdict),
    rule: moved(columns.rule, more.rule),
    phase: moved(columns.phase, more.phase),
    breaker: moved(columns.breaker, more.breaker),
    gist: moved(columns.gist, more.gist),
    marks: both(columns.marks, more.marks),
    series: Object.fromEntries(
      SERIES.map((name) => [name, both(columns.series[name], more.series[name])]),
    ) as unknown as Columns['series'],
    texts: both(columns.texts, more.texts),
  }
}

/** The reason, without the start that the row shows already. */
function gistOf({ failed, reason }: Iteration): string {
  const text = failed ?? reason.replace(/^(?:Verified|Claim rejected|Claim not verified|Not done): /, '')
  return text.length <= GIST ? text : `${text.slice(0, GIST)}...`
}

function marksOf({ refused, failed, evidence, forced, action, verdict }: Iteration): number {
  const no = evidence.some(({ check, answer }) => answer === 'no' && check !== 'clean')
  return (
    (refused ? MARKS.refused : 0) |
    (failed !== undefined || no ? MARKS.failure : 0) |
    (evidence.some(({ check, answer }) => check === 'tampering' && answer === 'no') ? MARKS.tampering : 0) |
    (forced === undefined ? 0 : MARKS.forced) |
    (failed === undefined ? 0 : MARKS.broken) |
    (action === 'advance' || verdict.startsWith('completed/') ? MARKS.opened : 0)
  )
}

/** How many tests were flaky; one if only that some were is known. */
function flakyOf({ evidence }: Iteration, tests: Iteration['evidence'][number]['counts']): number | null {
  const told = tests?.flaky ?? null
  if (told !== null) return told
  if ((tests?.passed ?? null) === null) return null
  return evidence.some(({ check, answer }) => check === 'flakes' && answer !== 'yes') ? 1 : 0
}
