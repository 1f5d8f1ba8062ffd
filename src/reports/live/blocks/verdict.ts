import { count } from '../../../core/count.ts'
import { ANSWER_TEXT, inOrder, isInformation } from '../../../core/policy/check-text.ts'
import { verdictSentence } from '../../../core/policy/ending-text.ts'
import type { Answer, Evidence, Finding } from '../../../core/types.ts'
import { toneOf } from '../../verdict-text.ts'
import { shownTitle } from '../check-marks.ts'
import { clean } from '../clean.ts'
import { type Block, titled } from '../layout.ts'
import { ANSWER_TONES, cutLine, type Line, type Look, marksOf, type Span, span } from '../line.ts'
import type { View } from '../view.ts'

/** The last result of each check, with counts and what changed since the previous iteration. */
export function checksBlock(view: View, columns: number, look: Look): Block {
  const { required } = view.state.config ?? {}
  const evidence = [...inOrder(view.decided?.observation.evidence ?? view.before ?? {})]
  const rank = ({ check, answer }: Evidence) => (isInformation(check, required) ? 3 : WEIGHT[answer])
  const name = Math.min(22, Math.max(0, ...evidence.map((each) => shownTitle(each).length)))
  const lines = evidence.sort((a, b) => rank(a) - rank(b)).map((each) => checkLine(each, view, name, columns, look))
  const from = view.decided === undefined ? 'checks before the run' : `checks in iteration ${view.decided.iteration}`
  return {
    rank: 5.5,
    least: Math.min(lines.length, 2),
    most: lines.length === 0 ? 0 : Math.min(lines.length, 12) + 1,
    gap: true,
    draw: (rows) => titled(cutLine([span(from, 'bold')], columns, look), lines, rows),
  }
}

/** Failures come first. */
const WEIGHT = { no: 0, unknown: 1, yes: 2 } as const

function checkLine(each: Evidence, view: View, width: number, columns: number, look: Look): Line {
  const before = view.decided === undefined ? undefined : view.before?.[each.check]
  const name = shownTitle(each).padEnd(width)
  if (isInformation(each.check, view.state.config?.required))
    return cutLine([span(`${marksOf(look).dot} ${name} not required`, 'dim')], columns, look)
  const mark = span(`${marksOf(look).answers[each.answer]} `, ANSWER_TONES[each.answer])
  const was =
    before === undefined || before.answer === each.answer
      ? []
      : [span(hasCounts(each) ? ` was ${ANSWER_TEXT[before.answer]}` : `was ${ANSWER_TEXT[before.answer]}: `, 'dim')]
  return cutLine([mark, span(`${name} `), ...countSpans(each, before), ...was, ...detailOf(each)], columns, look)
}

function countSpans(each: Evidence, before: Evidence | undefined): readonly Span[] {
  const { counts } = each
  if (counts?.passed !== undefined) {
    return [
      span(`${counts.passed} passed`),
      ...changeSpans(counts.passed, before?.counts?.passed),
      ...(counts.failed ? [span(', '), span(`${counts.failed} failed`, 'red')] : []),
      ...(counts.skipped ? [span(', '), span(`${counts.skipped} skipped`, 'yellow')] : []),
      ...(counts.excused
        ? [span(`, ${counts.excused} ${counts.unsteady ? 'not counted' : 'accepted'}`, 'yellow')]
        : []),
      ...(counts.missing ? [span(', '), span(`${counts.missing} missing`, 'red')] : []),
    ]
  }
  const done = counts?.done ?? counts?.met
  if (done !== undefined && counts?.total !== undefined)
    return [span(`${done}/${counts.total}`), ...changeSpans(done, before?.counts?.done ?? before?.counts?.met)]
  return []
}

const detailOf = (each: Evidence): readonly Span[] => (hasCounts(each) ? [] : [span(clean(each.detail), 'dim')])
const hasCounts = ({ counts }: Evidence): boolean => counts?.passed !== undefined || counts?.total !== undefined

function changeSpans(now: number, before: number | undefined): readonly Span[] {
  if (before === undefined || before === now) return []
  return now > before ? [span(` +${now - before}`, 'green')] : [span(` ${now - before}`, 'red')]
}

/** Claim and proof in the last decided iteration. */
export function gateBlock(view: View, columns: number, look: Look): Block {
  return {
    rank: 2,
    least: 2,
    most: 2,
    gap: true,
    draw: () => {
      const gate = view.decided?.verdict.gate
      return [
        gateLine('claim', gate?.claim, claimText(view), columns, look),
        gateLine('proof', gate?.proof, proofText(view), columns, look),
      ]
    },
  }
}

function gateLine(name: string, answer: Answer | undefined, text: string, columns: number, look: Look): Line {
  const title = span(`${name} `, 'bold')
  if (answer === undefined) return cutLine([title, span('not checked yet', 'dim')], columns, look)
  const mark = span(`${marksOf(look).answers[answer]} `, ANSWER_TONES[answer])
  return cutLine([title, mark, span(clean(text))], columns, look)
}

function claimText({ decided }: View): string {
  if (decided === undefined) return ''
  const [veto] = decided.observation.signals.vetoes
  if (veto !== undefined && decided.verdict.gate.claim === 'yes') return `says it is done, but also: ${veto}`
  const detail = found(decided.verdict.trace, 'claim')?.detail ?? CLAIMS[decided.verdict.gate.claim]
  return detail.replace(/^the agent /, '')
}

/** For verdicts of rules that come before the claim, such as an interrupt. */
const CLAIMS: Readonly<Record<Answer, string>> = {
  yes: 'says it is done',
  no: 'says it is not done',
  unknown: 'has not reported that it is done',
}

function proofText({ decided }: View): string {
  if (decided === undefined) return ''
  const parts = found(decided.verdict.trace, 'proof')?.parts ?? Object.values(decided.observation.evidence)
  if (parts.length === 0) return 'not checked'
  const passed = parts.filter(({ answer }) => answer === 'yes').length
  return `${passed} of ${count(parts.length, 'check')} ${passed === 1 ? 'passes' : 'pass'}`
}

/** The first finding with that name in the trace. */
function found(trace: readonly Finding[], name: string): Finding | undefined {
  for (const each of trace) {
    const here = each.name === name ? each : found(each.parts ?? [], name)
    if (here !== undefined) return here
  }
  return undefined
}

/** The sentence of the last verdict, and what is still needed. */
export function missingBlock(view: View, columns: number, look: Look): Block {
  const verdict = view.decided?.verdict
  const done = verdict?.action === 'stop' && verdict.outcome === 'completed'
  const interrupted = verdict?.action === 'stop' && verdict.outcome === 'interrupted'
  const missing = verdict === undefined || interrupted || (done && verdict.ending === 'verified') ? [] : verdict.missing
  const lines = missing.map((each): Line => {
    return cutLine([span(`${marksOf(look).bullet} `, 'yellow'), span(clean(each))], columns, look)
  })
  return {
    rank: 4,
    least: Math.min(lines.length, 1),
    most: lines.length === 0 ? 0 : Math.min(lines.length, 9) + 1,
    gap: true,
    draw: (rows) => {
      const sentence = verdict === undefined ? '' : clean(verdictSentence(verdict))
      const title: Line = [
        span(`iteration ${view.decided?.iteration ?? 0}: `, 'bold'),
        span(sentence, verdict && toneOf(verdict)),
      ]
      return titled(cutLine(title, columns, look), lines, rows)
    },
  }
}
