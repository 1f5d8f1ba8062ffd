import { count } from '../../../packages/core/src/count.ts'
import type { Decided, JournalEvent } from '../../core/journal/events.ts'
import { checkTitle, isInformation, titleOf } from '../../core/policy/check-text.ts'
import { verdictSentence } from '../../core/policy/ending-text.ts'
import type { Evidence, EvidenceSet, Finding, Signals } from '../../core/types.ts'
import type { SafeText } from './safe-text.ts'
import type { Iteration, Said, Shown, Tampering } from './types.ts'

const MOST_FINDINGS = 300

/** Every finding once, with the first and the last iteration that had it. */
export function tamperingOf(iterations: readonly Iteration[]): readonly Tampering[] {
  const found = new Map<string, { first: number; last: number; told: Omit<Tampering, 'first' | 'last'> }>()
  for (const { n, evidence } of iterations)
    for (const { check, answer, detail, changes } of evidence) {
      if (check !== 'tampering') continue
      // Journals of earlier releases have the sentence alone.
      const told = changes ?? (answer === 'no' ? [{ detail, blocks: true }] : [])
      for (const each of told) {
        const key = JSON.stringify(each)
        const known = found.get(key)
        if (known !== undefined) known.last = n
        else if (found.size < MOST_FINDINGS) found.set(key, { first: n, last: n, told: each })
      }
    }
  return [...found.values()].map(({ told, first, last }) => ({ ...told, first, last }))
}

export type DecidedEvent = Extract<JournalEvent, { type: 'iteration.decided' }>

/** What the events before a decision say about its iteration. */
export interface Begun {
  readonly phase?: string
  readonly task?: string
  readonly attempts: number
}

const TEXT = 8000
const MOST = 60

/** One decided iteration. Its trace comes from deciding it again. */
export function iterationOf(
  event: DecidedEvent,
  begun: Begun,
  safe: SafeText,
  required?: readonly string[],
): Iteration {
  const { observation, verdict, after, iteration, at } = event
  const { signals, spent, failed, stalled, forced, interrupted } = observation
  const phase = begun.phase ?? observation.phase
  const task = observation.task ?? begun.task ?? signals.task
  const why =
    failed?.reason ??
    (stalled &&
      `timed out after ${count(stalled.minutes, 'minute')}${stalled.kind === 'activity' ? ' without output' : ''}`)
  return {
    n: iteration,
    at,
    ...(phase === undefined ? {} : { phase: safe.line(phase, 100) }),
    ...(task === undefined ? {} : { task: safe.line(task, 300) }),
    claim: verdict.gate.claim,
    proof: verdict.gate.proof,
    action: verdict.action,
    verdict: safe.line(verdictCode(verdict), 200),
    refused: verdict.gate.claim === 'yes' && !opened(verdict),
    rule: safe.line(verdict.rule, 200),
    reason: safe.line(verdictSentence(verdict)),
    warnings: (verdict.action === 'continue' ? verdict.warnings : []).slice(0, MOST).map((each) => safe.line(each)),
    missing: verdict.missing.slice(0, MOST).map((each) => safe.line(each)),
    breaker: after.breaker.state,
    measures: verdict.measures,
    spent,
    attempts: begun.attempts,
    ...(why === undefined ? {} : { failed: safe.line(why) }),
    ...(forced === undefined ? {} : { forced: { by: safe.line(forced.by, 200), reason: safe.line(forced.reason) } }),
    interrupted,
    evidence: shownEvidence(observation.evidence, safe, required),
    said: saidOf(signals, safe),
  }
}

const opened = (verdict: Decided): boolean =>
  verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')

function verdictCode(verdict: Decided): string {
  if (verdict.action === 'continue') return 'not done'
  return verdict.action === 'advance' ? `phase done, next is ${verdict.phase}` : `${verdict.outcome}/${verdict.ending}`
}

export function shownEvidence(
  evidence: EvidenceSet | undefined,
  safe: SafeText,
  required?: readonly string[],
): readonly Shown[] {
  return Object.values(evidence ?? {})
    .slice(0, MOST)
    .map((each) => ({
      ...shown(each, safe),
      ...(isInformation(each.check, required) ? { information: true as const } : {}),
    }))
}

function shown(evidence: Evidence, safe: SafeText): Shown {
  const { check, answer, detail, counts, ms, changes } = evidence
  const title = titleOf(evidence)
  return {
    check: safe.line(check, 100),
    ...(title !== checkTitle(check) && { title }),
    answer,
    detail: safe.line(detail),
    ...(counts === undefined ? {} : { counts }),
    ms,
    ...(changes === undefined ? {} : { changes: changes.slice(0, MOST).map((each) => shownChange(each, safe)) }),
  }
}

function shownChange(change: NonNullable<Shown['changes']>[number], safe: SafeText): typeof change {
  const { before, after, ...rest } = change
  return {
    ...rest,
    kind: safe.line(rest.kind, 60),
    file: safe.line(rest.file, 400),
    detail: safe.line(rest.detail),
    ...(before === undefined ? {} : { before: safe.block(before, 1000) }),
    ...(after === undefined ? {} : { after: safe.block(after, 1000) }),
  }
}

function saidOf(signals: Signals, safe: SafeText): Said {
  const lines = (texts: readonly string[]) => texts.slice(0, MOST).map((each) => safe.line(each, 500))
  return {
    source: safe.line(signals.source, 100),
    ...(signals.claim === undefined ? {} : { claim: signals.claim }),
    vetoes: lines(signals.vetoes),
    ...(signals.blocker === undefined ? {} : { blocker: safe.line(signals.blocker) }),
    fields: Object.entries(signals.said)
      .slice(0, MOST)
      .map(([name, value]) => [safe.line(name, 100), typeof value === 'string' ? safe.line(value, 500) : value]),
    problems: lines(signals.problems),
    denials: lines(signals.denials),
    text: safe.block(signals.text, TEXT),
  }
}

/** A rule's finding with all its parts. */
export function shownFinding(found: Finding, safe: SafeText, depth = 0): Finding {
  const { name, answer, detail, parts = [] } = found
  return {
    name: safe.line(name, 200),
    answer,
    detail: safe.line(detail, 600),
    ...(parts.length === 0 || depth > 8
      ? {}
      : { parts: parts.slice(0, MOST).map((each) => shownFinding(each, safe, depth + 1)) }),
  }
}
