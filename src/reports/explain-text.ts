import type { Replayed } from '../core/journal/replay.ts'
import type { Finding } from '../core/types.ts'
import { findingText, headline, painter, plain, type Style } from './verdict-text.ts'

/** Why, rule by rule: those before the deciding one said no, those behind it were not asked then. */
export function explainText(replayed: Replayed, rules: readonly Finding[], style: Style): string {
  const paint = painter(style)
  const { event, before, policy, decision, same } = replayed
  const { verdict, facts } = decision
  const decider = rules.findIndex(({ name }) => name === verdict.rule)
  const lines = [
    `${headline(verdict, paint)} ${paint(`run ${before.run}, iteration ${event.iteration}, preset ${policy.preset}${facts.phase ? `, phase ${facts.phase}` : ''}`, 'dim')}`,
    `because of the rule ${paint(verdict.rule, 'bold')}: ${plain(verdict.reason)}`,
    '',
    'Rules in order:',
    ...rules.flatMap((rule, i) => ruleLines(rule, i, decider, paint)),
    '',
    ...gateLines(replayed),
  ]
  if (policy.weaker.length > 0)
    lines.push('', `Where ${policy.preset} is weaker than default:`, ...policy.weaker.map((each) => `  - ${each}`))
  if (!same)
    lines.push(
      '',
      `${paint('warning:', 'yellow')} decided again it differs from what was recorded (${event.verdict.rule}): it was recorded by another version`,
    )
  return `${lines.join('\n')}\n`
}

function ruleLines(rule: Finding, i: number, decider: number, paint: ReturnType<typeof painter>): readonly string[] {
  const mark = i === decider ? paint('=>', 'bold') : i < decider ? '  ' : paint(' .', 'dim')
  const text = findingText(rule, paint).split('\n')
  return text.map((line, n) => (n === 0 ? `${mark} ${line}` : `     ${line}`))
}

function gateLines({ decision }: Replayed): readonly string[] {
  const { verdict } = decision
  const completed = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')
  if (completed && verdict.missing.length === 0) return ['The gate was open: both keys turned in this iteration.']
  if (completed)
    return ['It ended as completed although this was missing:', ...verdict.missing.map((each) => `  - ${plain(each)}`)]
  return ['The gate would have opened with:', ...verdict.missing.map((each) => `  - instead of: ${plain(each)}`)]
}
