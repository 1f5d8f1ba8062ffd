import { plainWords } from '../../packages/core/src/plain-words.ts'
import { proofLines } from '../../packages/exitgate/src/checks/proven.ts'
import { acceptedFindings, findingText as findingLine, listedFindings } from '../core/accepting.ts'
import { ANSWER_TEXT, countedTitle, failureTitle, inOrder, isInformation } from '../core/policy/check-text.ts'
import type { DecidedIteration } from '../core/policy/decide.ts'
import { verdictSentence } from '../core/policy/ending-text.ts'
import { remedies } from '../core/policy/remedy.ts'
import type { Decision, EvidenceSet, Finding, Verdict } from '../core/types.ts'
import { withoutRemedy } from './plain-words.ts'

export interface Style {
  readonly color: boolean
}

const CODES = { green: 32, red: 31, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const
export type Paint = (text: string, how: keyof typeof CODES) => string
export const painter =
  ({ color }: Style): Paint =>
  (text, how) =>
    color ? `\u001b[${CODES[how]}m${text}\u001b[0m` : text

// Agents and files supply much of what is shown; control characters must not reach the terminal.
export const plain = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '�')
    .replace(/\s*\n\s*/g, ' ')

/** The verdict for people: one sentence, the checks, what is still needed and what to do. */
export function verdictText(
  { verdict, facts }: Pick<DecidedIteration, 'verdict' | 'facts'>,
  preset: string,
  style: Style,
  required: readonly string[] = [],
): string {
  const paint = painter(style)
  const verified = verdict.action === 'stop' && verdict.ending === 'verified'
  const checks = checksText(facts.evidence, required, paint)
  const todo = verified
    ? []
    : [...remedies(facts.evidence, { required, baseline: facts.baseline }), ...claimHint(verdict)]
  const warnings = verdict.action === 'continue' ? verdict.warnings.filter((each) => each !== verdict.reason) : []
  const where = `iteration ${facts.iteration}, preset ${preset}${facts.phase ? `, phase ${facts.phase}` : ''}`
  const lines = [
    paintedSentence(verdict, paint),
    ...(checks === '' ? [] : [`  checks: ${checks}`]),
    ...proofText(facts.evidence).map((line) => `  ${line}`),
    ...acceptedLines(facts.evidence).map((line) => `  ${line}`),
    ...(verified || verdict.missing.length === 0
      ? []
      : ['  still needed:', ...bullets(verdict.missing.map((each) => asPrinted(each, facts.evidence)))]),
    ...(todo.length === 0 ? [] : ['  what to do:', ...bullets(todo)]),
    ...warnings.map((each) => `  ${paint('warning:', 'yellow')} ${plain(each)}`),
    paint(`  (${where})`, 'dim'),
  ]
  return `${lines.join('\n')}\n`
}

/** Which tests prove the work. */
export const proofText = ({ proven }: EvidenceSet): readonly string[] =>
  (proven?.proof === undefined ? [] : proofLines(proven.proof))
    .slice(0, MOST_PROOFS)
    .map((line) => `proof: ${plain(line)}`)

const MOST_PROOFS = 20

/** What the user accepted. It is shown with every verdict. */
const acceptedLines = (evidence: EvidenceSet): readonly string[] =>
  acceptedFindings(evidence).map((each) =>
    plain(`Accepted: ${withoutRemedy(findingLine(each))} (by ${each.by}: ${each.reason})`),
  )

/** For `explain`: what you accepted, and every finding that you can accept. */
export function decisionLines(evidence: EvidenceSet): readonly string[] {
  const open = listedFindings(evidence).map((each) => `  ${each.id}  ${plain(findingLine(each))}`)
  const lines = [...acceptedLines(evidence), ...(open.length === 0 ? [] : ['You decide:', ...open])]
  return lines.length === 0 ? [] : ['', ...lines]
}

const claimHint = ({ action, gate }: Verdict): readonly string[] =>
  action === 'continue' && gate.claim === 'unknown' && gate.proof === 'yes'
    ? ["Pass the agent's output with --transcript, or --claim if you say it is done."]
    : []

/** What is missing, with the lines of output that its check has. */
function asPrinted(item: string, evidence: EvidenceSet): string {
  const found = Object.values(evidence).find(({ detail }) => detail.includes('\n') && item.endsWith(plainWords(detail)))
  return found === undefined ? item : `${item.slice(0, -plainWords(found.detail).length)}${found.detail}`
}

const bullets = (items: readonly string[]): readonly string[] => items.map((each) => `    - ${withOutput(each, 6)}`)

const OWN_LINE = /^(?: ?Ran in a clean room|The last lines of ")/

/** A text that ends with lines of a command's output. Each is marked, so that none looks like a line of exitgate. */
export function withOutput(text: string, indent: number): string {
  const [first = '', ...rest] = text.split('\n').filter((line) => line.trim() !== '')
  const lines = rest.map((line) => (OWN_LINE.test(line) ? plain(line.trim()) : `| ${plain(line)}`))
  return [plain(first), ...lines.map((line) => ' '.repeat(indent) + line)].join('\n')
}

/** The sentence of a verdict, in the colour of its outcome. */
export const paintedSentence = (verdict: Decision & { readonly reason: string }, paint: Paint): string =>
  paint(plain(verdictSentence(verdict)), toneOf(verdict))

export function toneOf(verdict: Decision): 'green' | 'yellow' | 'red' {
  if (verdict.action === 'continue') return 'yellow'
  if (verdict.action === 'advance') return 'green'
  if (verdict.outcome === 'completed') return verdict.ending === 'verified' ? 'green' : 'yellow'
  return verdict.outcome === 'interrupted' ? 'yellow' : 'red'
}

const ANSWER_TONES = { yes: 'green', no: 'red', unknown: 'yellow' } as const

/** `tests 2/4: fail, tests intact: pass`, then what is not required and did not pass. */
export function checksText(evidence: EvidenceSet, required: readonly string[], paint: Paint): string {
  const all = inOrder(evidence)
  const counted = all
    .filter(({ check }) => !isInformation(check, required))
    .map((each) => `${plain(countedTitle(each))}: ${answerText(each.answer, paint)}`)
  const rest = all.filter(({ check, answer }) => isInformation(check, required) && answer === 'no')
  const aside =
    rest.length === 0
      ? []
      : [paint(`(not required: ${rest.map(({ check }) => failureTitle(check)).join(', ')})`, 'dim')]
  return [...(counted.length === 0 ? [] : [counted.join(', ')]), ...aside].join(' ')
}

export const answerText = (answer: Finding['answer'], paint: Paint): string =>
  paint(ANSWER_TEXT[answer], ANSWER_TONES[answer])

/** A finding and its parts as an indented list. */
export function findingText(found: Finding, paint: Paint, depth = 0): string {
  const line = `${'  '.repeat(depth)}${paint(found.answer, ANSWER_TONES[found.answer])} ${found.name}${found.detail ? `: ${plain(found.detail)}` : ''}`
  return [line, ...(found.parts ?? []).map((part) => findingText(part, paint, depth + 1))].join('\n')
}
