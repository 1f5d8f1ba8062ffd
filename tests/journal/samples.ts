import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { Decided, EventInput, JournalEvent } from '../../src/core/journal/events.ts'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { CLOSED } from '../../src/core/policy/breaker.ts'
import type { Answer, Breaker, Decision, Observation } from '../../src/core/types.ts'
import { anyCharacter } from '../any-character.ts'

/** A temporary folder, removed after the tests of the file. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-journal-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const observation: Observation = {
  signals: {
    claims: {},
    vetoes: [],
    said: { EXIT_STATUS: 'CONTINUE' },
    blocks: [],
    phrases: [],
    text: 'Größe geprüft \u2028 ✓',
    length: 20,
    denials: [],
    source: 'none',
    problems: [],
  },
  evidence: { tests: { check: 'tests', answer: 'no', detail: '1 of 3 fails', counts: { total: 3 }, ms: 5, tree: 'a' } },
  spent: { ms: 10, tokens: 20, usd: 0.5 },
  interrupted: false,
}

export const CONTINUE: Decision = { action: 'continue', warnings: [] }
export const DONE: Decision = { action: 'stop', outcome: 'completed', ending: 'verified' }
export const STUCK: Decision = { action: 'stop', outcome: 'stuck', ending: 'breaker' }

export function verdict(decision: Decision, claim: Answer = 'no'): Decided {
  const said = { rule: 'a rule', reason: 'a reason', missing: ['a test'], gate: { claim, proof: 'no' as const } }
  return { ...decision, ...said, measures: { confidence: 40 } }
}

type Of<T extends EventInput['type']> = Extract<EventInput, { type: T }>

export function started(more: Partial<Of<'run.started'>> = {}): EventInput {
  return { type: 'run.started', run: 'r1', config: BASE, ...more }
}

export function decided(
  iteration: number,
  decision: Decision = CONTINUE,
  claim: Answer = 'no',
  breaker?: Breaker,
): EventInput {
  const after = { ...emptyState().counters, phaseIteration: iteration, breaker: breaker ?? CLOSED }
  return { type: 'iteration.decided', iteration, observation, verdict: verdict(decision, claim), after }
}

export const note = (text: string): EventInput => ({ type: 'note', text })

/** Events as in a journal, but without hashes. */
export function stamped(events: readonly EventInput[], at = 1000): readonly JournalEvent[] {
  return events.map((eventInput, i) => ({ v: 1, seq: i + 1, at: at + i, prev: '', ...eventInput }))
}

const text = fc.string({ unit: anyCharacter, maxLength: 30 })
const phase = fc.constantFrom('RED', 'GREEN', 'REFACTOR')
const answer = fc.constantFrom<Answer>('yes', 'no', 'unknown')
const decision = fc.constantFrom<Decision>(CONTINUE, DONE, STUCK, { action: 'advance', phase: 'GREEN' })
const openBreaker: Breaker = { ...CLOSED, state: 'open', noProgress: 3, openedAt: 5, reason: 'stuck', opens: 2 }
const lasting = { ...BASE, breaker: { ...BASE.breaker, autoReset: false } }

/** Any events in any order, even those that no loop would produce. */
export const eventInput: fc.Arbitrary<EventInput> = fc.oneof(
  fc.record({ config: fc.constantFrom(BASE, lasting), task: text, phase }, { requiredKeys: ['config'] }).map(started),
  fc.record({ iteration: fc.nat(99) }).map((more): EventInput => ({ type: 'iteration.started', ...more })),
  fc
    .tuple(fc.nat(99), decision, answer, fc.constantFrom(CLOSED, openBreaker))
    .map(([iteration, said, claim, breaker]) => decided(iteration, said, claim, breaker)),
  fc
    .record({ from: phase, iterations: fc.nat(9), to: phase, forced: fc.boolean() }, { requiredKeys: ['to', 'forced'] })
    .map((more): EventInput => ({ type: 'phase.changed', ...more })),
  text.map((reason): EventInput => ({ type: 'breaker.reset', by: 'somebody', reason })),
  fc
    .record({ reason: text, again: fc.constant(true as const) }, { requiredKeys: ['reason'] })
    .map((more): EventInput => ({ type: 'run.resumed', iteration: 1, ...more })),
  text.map((reason): EventInput => ({ type: 'run.ended', outcome: 'stuck', ending: 'breaker', reason, iteration: 1 })),
  fc.constant<EventInput>({ type: 'config.changed', config: lasting, paths: ['breaker.autoReset'] }),
  text.map(note),
)
