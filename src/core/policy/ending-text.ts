import type { Decision, Ending } from '../types.ts'

/** How each ending reads in text. `--json` and the journal keep the codes. */
const ENDINGS: Readonly<Record<Ending, string>> = {
  verified: 'verified',
  passed: 'passed, not proven',
  threshold: 'completed, not fully verified',
  forced: 'forced, not verified',
  breaker: 'stuck: circuit breaker open',
  'same-task': 'stuck: the same task keeps failing',
  stagnation: 'stuck: no progress',
  oscillation: 'stuck: going back and forth',
  'hollow-claims': 'stuck: claims keep failing the checks',
  iterations: 'stopped: iteration limit',
  time: 'stopped: time limit',
  cost: 'stopped: cost limit',
  tokens: 'stopped: token limit',
  unverifiable: 'stopped: no check can verify the work',
  'needs-human': 'stopped: needs your input',
  'low-confidence': 'stopped: low confidence',
  errors: 'stopped: too many errors',
  unproven: 'stopped: not proven',
  fatal: "stopped: the agent can't run",
  interrupt: 'interrupted',
}

/** One refusal of the provider can end a run, so these are not "too many errors". */
const PROVIDER: Readonly<Record<string, string>> = {
  limit: 'stopped: provider limit',
  outage: 'stopped: provider failure',
}

/** Endings of a later release are shown by their code. */
export const endingText = (ending: string, cause = ''): string =>
  (ending === 'errors' ? PROVIDER[cause] : undefined) ?? ENDINGS[ending as Ending] ?? ending

/** One sentence for a decision: what it is, then its reason. */
export function verdictSentence(verdict: Decision & { readonly reason: string }): string {
  return sentence(titleOf(verdict), verdict.reason)
}

interface Ended {
  readonly ending: string
  readonly reason: string
  readonly cause?: string
}

/** The same for the end of a run. */
export function endSentence({ ending, reason, cause }: Ended): string {
  return sentence(endingText(ending, cause), reason)
}

/** Starts of reasons that already say what the decision is. */
const COMPLETE =
  /^(?:Verified|Passed, not proven|Completed, not fully verified|Claim rejected|Claim not verified|Not done|Phase \S+ (?:done|skipped)): /

function sentence(title: string, recorded: string): string {
  if (COMPLETE.test(recorded)) return recorded
  const reason = recorded.replace(/^Circuit breaker is OPEN: /, '')
  const start = `${title.slice(0, 1).toUpperCase()}${title.slice(1)}`
  if (reason === '') return `${start}.`
  const text = `${start}${start.includes(':') ? '. ' : ': '}${start.includes(':') ? upper(reason) : reason}`
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function titleOf(verdict: Decision): string {
  if (verdict.action === 'stop') return endingText(verdict.ending)
  return verdict.action === 'advance' ? `next phase ${verdict.phase}` : 'not done'
}

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
