import type { Answer, Finding } from '../../../core/types.ts'
import { clean } from '../clean.ts'
import { cutLine, type Line, type Look, span } from '../line.ts'
import { ANSWER_TONES, marksOf } from '../marks.ts'
import { type Block, titled } from '../rows.ts'
import type { View } from '../view.ts'

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
