import type { Answer, Evidence, Finding } from '../../../core/types.ts'
import { clean } from '../clean.ts'
import { type Block, titled } from '../layout.ts'
import { ANSWER_TONES, cutLine, type Line, type Look, marksOf, type Span, span } from '../line.ts'
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

/** The two keys, turned or not in the last decided iteration, each with its reason. */
export function keysBlock(view: View, columns: number, look: Look): Block {
  return {
    rank: 2,
    least: 2,
    most: 2,
    gap: true,
    draw: () => {
      const gate = view.decided?.verdict.gate
      return [
        keyLine('claim', gate?.claim, claimReason(view), columns, look),
        keyLine('proof', gate?.proof, proofReason(view), columns, look),
      ]
    },
  }
}

function keyLine(name: string, answer: Answer | undefined, reason: string, columns: number, look: Look): Line {
  const key = span(`${name} `, 'bold')
  if (answer === undefined) return cutLine([key, span('not asked yet', 'dim')], columns, look)
  const state = `${marksOf(look).answers[answer]} ${answer === 'yes' ? 'turned' : 'not turned'}`
  return cutLine([key, span(state.padEnd(13), ANSWER_TONES[answer]), span(clean(reason), 'dim')], columns, look)
}

function claimReason({ decided }: View): string {
  if (decided === undefined) return ''
  const { signals } = decided.observation
  const [veto] = signals.vetoes
  if (veto !== undefined && decided.verdict.gate.claim === 'yes') return `but it also says: ${veto}`
  return found(decided.verdict.trace, 'claim')?.detail ?? (signals.source === 'none' ? '' : `said in ${signals.source}`)
}

/** How much of the proof stands; what is missing stands below, word for word. */
function proofReason({ decided }: View): string {
  if (decided === undefined) return ''
  const parts = found(decided.verdict.trace, 'proof')?.parts ?? Object.values(decided.observation.evidence)
  if (parts.length === 0) return 'no check has answered'
  const yes = parts.filter(({ answer }) => answer === 'yes').length
  return `${yes} of ${parts.length} ${parts.length === 1 ? 'answer is' : 'answers are'} yes`
}

/** The first finding of that name, wherever it stands in the trace. */
function found(trace: readonly Finding[], name: string): Finding | undefined {
  for (const each of trace) {
    const here = each.name === name ? each : found(each.parts ?? [], name)
    if (here !== undefined) return here
  }
  return undefined
}

/** Why it is not done, in the words of the verdict. */
export function missingBlock(view: View, columns: number, look: Look): Block {
  const verdict = view.decided?.verdict
  const done = verdict?.action === 'stop' && verdict.outcome === 'completed'
  const missing = verdict === undefined || (done && verdict.ending === 'verified') ? [] : verdict.missing
  const lines = missing.map((each): Line => {
    return cutLine([span(`${marksOf(look).bullet} `, 'yellow'), span(clean(each))], columns, look)
  })
  return {
    rank: 4,
    least: Math.min(lines.length, 1),
    most: lines.length === 0 ? 0 : Math.min(lines.length, 9) + 1,
    gap: true,
    draw: (rows) => {
      const title: Line = [span(`why not done, iteration ${view.decided?.iteration ?? 0}`, 'bold')]
      return titled(cutLine(title, columns, look), lines, rows)
    },
  }
}
