import type { DecidedIteration } from '../core/policy/decide.ts'
import type { Decision, Finding } from '../core/types.ts'

export interface Style {
  readonly color: boolean
}

const CODES = { green: 32, red: 31, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const
type Paint = (text: string, how: keyof typeof CODES) => string
export const painter =
  ({ color }: Style): Paint =>
  (text, how) =>
    color ? `\u001b[${CODES[how]}m${text}\u001b[0m` : text

// Agents and files supply much of what is shown; control characters must not reach the terminal.
export const plain = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '�')
    .replace(/\s*\n\s*/g, ' ')

/** The verdict for people: what, why, what is missing. */
export function verdictText(
  { verdict, facts }: Pick<DecidedIteration, 'verdict' | 'facts'>,
  preset: string,
  style: Style,
): string {
  const paint = painter(style)
  const lines = [
    `${headline(verdict, paint)} ${paint(`(iteration ${facts.iteration}, ${preset}${facts.phase ? `, phase ${facts.phase}` : ''}, rule ${verdict.rule})`, 'dim')}`,
  ]
  lines.push(`  ${plain(verdict.reason)}`)
  lines.push(`  claim: ${answerWord(verdict.gate.claim, paint)}   proof: ${answerWord(verdict.gate.proof, paint)}`)
  if (verdict.missing.length > 0) lines.push('  missing:', ...verdict.missing.map((each) => `    - ${plain(each)}`))
  if (verdict.action === 'continue')
    lines.push(
      ...verdict.warnings
        .filter((each) => each !== verdict.reason)
        .map((each) => `  ${paint('warning:', 'yellow')} ${plain(each)}`),
    )
  return `${lines.join('\n')}\n`
}

export function headline(verdict: Decision, paint: Paint): string {
  if (verdict.action === 'continue') return paint('not done', 'yellow')
  if (verdict.action === 'advance') return paint(`phase done, next is ${verdict.phase}`, 'green')
  return paint(
    `${verdict.outcome}/${verdict.ending}`,
    verdict.outcome === 'completed' && verdict.ending === 'verified'
      ? 'green'
      : verdict.outcome === 'completed'
        ? 'yellow'
        : 'red',
  )
}

export function answerWord(answer: Finding['answer'], paint: Paint): string {
  return paint(answer, answer === 'yes' ? 'green' : answer === 'no' ? 'red' : 'yellow')
}

/** A finding and its parts as an indented list. */
export function findingText(found: Finding, paint: Paint, depth = 0): string {
  const line = `${'  '.repeat(depth)}${answerWord(found.answer, paint)} ${found.name}${found.detail ? `: ${plain(found.detail)}` : ''}`
  return [line, ...(found.parts ?? []).map((part) => findingText(part, paint, depth + 1))].join('\n')
}
