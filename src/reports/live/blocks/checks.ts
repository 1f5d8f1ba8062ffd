import type { Evidence } from '../../../core/types.ts'
import { clean } from '../clean.ts'
import { cutLine, type Line, type Look, type Span, span } from '../line.ts'
import { ANSWER_TONES, marksOf } from '../marks.ts'
import { type Block, titled } from '../rows.ts'
import type { View } from '../view.ts'

/** What the checks answered last, with their counts and what changed since the iteration before. */
export function checksBlock(view: View, columns: number, look: Look): Block {
  const evidence = Object.values(view.decided?.observation.evidence ?? view.before ?? {})
  const name = Math.min(14, Math.max(0, ...evidence.map(({ check }) => clean(check).length)))
  const lines = [...evidence].sort(byWeight).map((each) => checkLine(each, view, name, columns, look))
  const from = view.decided === undefined ? 'checks in the baseline' : `checks of iteration ${view.decided.iteration}`
  return {
    rank: 5.5,
    least: Math.min(lines.length, 2),
    most: lines.length === 0 ? 0 : Math.min(lines.length, 12) + 1,
    gap: true,
    draw: (rows) => titled(cutLine([span(from, 'bold')], columns, look), lines, rows),
  }
}

/** What stands against the end comes first. */
const WEIGHT = { no: 0, unknown: 1, yes: 2 } as const
const byWeight = (a: Evidence, b: Evidence): number => WEIGHT[a.answer] - WEIGHT[b.answer]

function checkLine(each: Evidence, view: View, width: number, columns: number, look: Look): Line {
  const before = view.decided === undefined ? undefined : view.before?.[each.check]
  const name = clean(each.check).padEnd(width)
  const mark = span(`${marksOf(look).answers[each.answer]} `, ANSWER_TONES[each.answer])
  const was =
    before === undefined || before.answer === each.answer
      ? []
      : [span(speaks(each) ? `was ${before.answer}: ` : ` was ${before.answer}`, 'dim')]
  return cutLine([mark, span(`${name} `), ...countSpans(each, before), ...was, ...ownWords(each)], columns, look)
}

/** Counts where the check has some. */
function countSpans(each: Evidence, before: Evidence | undefined): readonly Span[] {
  const { counts } = each
  if (counts?.passed !== undefined) {
    return [
      span(`${counts.passed} passed`),
      ...changeSpans(counts.passed, before?.counts?.passed),
      ...(counts.failed ? [span(', '), span(`${counts.failed} failed`, 'red')] : []),
      ...(counts.skipped ? [span(', '), span(`${counts.skipped} skipped`, 'yellow')] : []),
      ...(counts.excused ? [span(`, ${counts.excused} accepted`, 'yellow')] : []),
      ...(counts.missing ? [span(', '), span(`${counts.missing} missing`, 'red')] : []),
    ]
  }
  const done = counts?.done ?? counts?.met
  if (done !== undefined && counts?.total !== undefined)
    return [span(`${done}/${counts.total}`), ...changeSpans(done, before?.counts?.done ?? before?.counts?.met)]
  return []
}

/** A check without counts speaks for itself. */
const ownWords = (each: Evidence): readonly Span[] => (speaks(each) ? [span(clean(each.detail), 'dim')] : [])
const speaks = ({ counts }: Evidence): boolean => counts?.passed === undefined && counts?.total === undefined

function changeSpans(now: number, before: number | undefined): readonly Span[] {
  if (before === undefined || before === now) return []
  return now > before ? [span(` +${now - before}`, 'green')] : [span(` ${now - before}`, 'red')]
}
