import { count } from '../../../../packages/core/src/count.ts'
import { inOrder, isInformation } from '../../../core/policy/check-text.ts'
import { verdictSentence } from '../../../core/policy/ending-text.ts'
import type { Answer, Evidence, Finding } from '../../../core/types.ts'
import { toneOf } from '../../verdict-text.ts'
import { shownTitle } from '../check-marks.ts'
import { clean } from '../clean.ts'
import { type Block, textBlock } from '../layout.ts'
import { ANSWER_TONES, answerMark, type Line, type Look, marksOf, type Span, span } from '../line.ts'
import type { View } from '../view.ts'

/** The last result of each check, with counts and what changed since the previous iteration. */
export function checksBlock(view: View, columns: number, look: Look): Block {
  const { required } = view.state.config ?? {}
  const evidence = [...inOrder(view.decided?.observation.evidence ?? view.before ?? {})]
  const rank = ({ check, answer }: Evidence) => (isInformation(check, required) ? 3 : WEIGHT[answer])
  const name = Math.min(22, Math.max(0, ...evidence.map((each) => shownTitle(each).length)))
  const lines = evidence.sort((a, b) => rank(a) - rank(b)).map((each) => checkLine(each, view, name, look))
  const from = view.decided === undefined ? 'checks before the run' : `checks in iteration ${view.decided.iteration}`
  return textBlock({ rank: 5.5, title: [span(from, 'bold')], lines, least: 2, most: 12, gap: true }, columns, look)
}

const BEFORE: Readonly<Record<Answer, string>> = { yes: 'passed', no: 'failed', unknown: 'unknown' }

/** Failures come first. */
const WEIGHT = { no: 0, unknown: 1, yes: 2 } as const

function checkLine(each: Evidence, view: View, width: number, look: Look): Line {
  const before = view.decided === undefined ? undefined : view.before?.[each.check]
  const name = shownTitle(each).padEnd(width)
  if (isInformation(each.check, view.state.config?.required))
    return [span(`${marksOf(look).dot} ${name} not required`, 'dim')]
  const mark = span(`${marksOf(look).answers[each.answer]} `, ANSWER_TONES[each.answer])
  const was = before === undefined || before.answer === each.answer ? '' : `${BEFORE[before.answer]} before`
  if (hasCounts(each))
    return [mark, span(`${name} `), ...countSpans(each, before), ...(was === '' ? [] : [span(`, ${was}`, 'dim')])]
  return [mark, span(`${name} `), span(`${clean(each.detail)}${was === '' ? '' : ` (${was})`}`, 'dim')]
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

const hasCounts = ({ counts }: Evidence): boolean => counts?.passed !== undefined || counts?.total !== undefined

function changeSpans(now: number, before: number | undefined): readonly Span[] {
  if (before === undefined || before === now) return []
  return now > before ? [span(` (+${now - before})`, 'green')] : [span(` (${now - before})`, 'red')]
}

/** Claim and proof in the last decided iteration. */
export function gateBlock(view: View, columns: number, look: Look): Block {
  const gate = view.decided?.verdict.gate
  const claim = gate && answerMark('claim', gate.claim, look)
  const proof = gate && answerMark('proof', gate.proof, look)
  const lines = [gateLine('claim', claim, claimText(view)), gateLine('proof', proof, proofText(view))]
  return textBlock({ rank: 2, lines, gap: true }, columns, look)
}

function gateLine(name: string, mark: Span | undefined, text: string): Line {
  const title = span(`${name} `, 'bold')
  return mark === undefined ? [title, span('not checked yet', 'dim')] : [title, mark, span(` ${clean(text)}`)]
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
  const lines = missing.map((each): Line => [span(`${marksOf(look).bullet} `, 'yellow'), span(clean(each))])
  const sentence = verdict === undefined ? '' : clean(verdictSentence(verdict))
  const title: Line = [
    span(`iteration ${view.decided?.iteration ?? 0}: `, 'bold'),
    span(sentence, verdict && toneOf(verdict)),
  ]
  return textBlock({ rank: 4, title, lines, least: 1, most: 9, gap: true }, columns, look)
}
