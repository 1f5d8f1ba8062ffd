import type { Decided, JournalEvent } from '../../core/journal/events.ts'
import type { Evidence, EvidenceSet, Finding, Signals } from '../../core/types.ts'
import type { Words } from './safe-text.ts'
import type { Iteration, Said, Shown, Tampering } from './types.ts'

const MOST_FINDINGS = 300

/** Every finding once, with the first and the last iteration in which it stood: most stand until somebody takes them back. */
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

/** What the events before a decision told about its iteration. */
export interface Begun {
  readonly phase?: string
  readonly task?: string
  readonly attempts: number
}

const TEXT = 8000
const MOST = 60

/** One decided iteration for people; its trace comes from deciding it again. */
export function iterationOf(event: DecidedEvent, begun: Begun, words: Words): Iteration {
  const { observation, verdict, after, iteration, at } = event
  const { signals, spent, failed, stalled, forced, interrupted } = observation
  const phase = begun.phase ?? observation.phase
  const task = observation.task ?? begun.task ?? signals.task
  const why = failed?.reason ?? (stalled && `no end after ${stalled.minutes} minutes (${stalled.kind})`)
  return {
    n: iteration,
    at,
    ...(phase === undefined ? {} : { phase: words.line(phase, 100) }),
    ...(task === undefined ? {} : { task: words.line(task, 300) }),
    claim: verdict.gate.claim,
    proof: verdict.gate.proof,
    action: verdict.action,
    verdict: words.line(verdictWords(verdict), 200),
    refused: verdict.gate.claim === 'yes' && !opened(verdict),
    rule: words.line(verdict.rule, 200),
    reason: words.line(verdict.reason),
    warnings: (verdict.action === 'continue' ? verdict.warnings : []).slice(0, MOST).map((each) => words.line(each)),
    missing: verdict.missing.slice(0, MOST).map((each) => words.line(each)),
    breaker: after.breaker.state,
    measures: verdict.measures,
    spent,
    attempts: begun.attempts,
    ...(why === undefined ? {} : { failed: words.line(why) }),
    ...(forced === undefined ? {} : { forced: { by: words.line(forced.by, 200), reason: words.line(forced.reason) } }),
    interrupted,
    evidence: shownEvidence(observation.evidence, words),
    said: saidOf(signals, words),
  }
}

const opened = (verdict: Decided): boolean =>
  verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')

function verdictWords(verdict: Decided): string {
  if (verdict.action === 'continue') return 'not done'
  return verdict.action === 'advance' ? `phase done, next is ${verdict.phase}` : `${verdict.outcome}/${verdict.ending}`
}

export function shownEvidence(evidence: EvidenceSet | undefined, words: Words): readonly Shown[] {
  return Object.values(evidence ?? {})
    .slice(0, MOST)
    .map((each) => shown(each, words))
}

function shown({ check, answer, detail, counts, ms, changes }: Evidence, words: Words): Shown {
  return {
    check: words.line(check, 100),
    answer,
    detail: words.line(detail),
    ...(counts === undefined ? {} : { counts }),
    ms,
    ...(changes === undefined ? {} : { changes: changes.slice(0, MOST).map((each) => shownChange(each, words)) }),
  }
}

function shownChange(change: NonNullable<Shown['changes']>[number], words: Words): typeof change {
  const { before, after, ...rest } = change
  return {
    ...rest,
    kind: words.line(rest.kind, 60),
    file: words.line(rest.file, 400),
    detail: words.line(rest.detail),
    ...(before === undefined ? {} : { before: words.block(before, 1000) }),
    ...(after === undefined ? {} : { after: words.block(after, 1000) }),
  }
}

function saidOf(signals: Signals, words: Words): Said {
  const lines = (texts: readonly string[]) => texts.slice(0, MOST).map((each) => words.line(each, 500))
  return {
    source: words.line(signals.source, 100),
    ...(signals.claim === undefined ? {} : { claim: signals.claim }),
    vetoes: lines(signals.vetoes),
    ...(signals.blocker === undefined ? {} : { blocker: words.line(signals.blocker) }),
    fields: Object.entries(signals.said)
      .slice(0, MOST)
      .map(([name, value]) => [words.line(name, 100), typeof value === 'string' ? words.line(value, 500) : value]),
    problems: lines(signals.problems),
    denials: lines(signals.denials),
    text: words.block(signals.text, TEXT),
  }
}

/** A rule's finding with all its parts, as far down as any condition goes. */
export function shownFinding(found: Finding, words: Words, depth = 0): Finding {
  const { name, answer, detail, parts = [] } = found
  return {
    name: words.line(name, 200),
    answer,
    detail: words.line(detail, 600),
    ...(parts.length === 0 || depth > 8
      ? {}
      : { parts: parts.slice(0, MOST).map((each) => shownFinding(each, words, depth + 1)) }),
  }
}
