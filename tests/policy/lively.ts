import fc from 'fast-check'
import type { PresetName } from '../../src/core/config.ts'
import type { Evidence, EvidenceSet, Observation } from '../../src/core/types.ts'
import { play } from '../scenarios/play.ts'
import * as arbitrary from './arbitrary.ts'

/** Iterations near completion: everything passes, most of it does, or it is arbitrary. */
export function lively(name: PresetName): fc.Arbitrary<Observation> {
  const nearly = fc
    .record({
      won: winning(name),
      seen: arbitrary.observation,
      checks: arbitrary.evidence,
      which: fc.constantFrom('all', 'words', 'proof', 'some'),
    })
    .map(({ won, seen, checks, which }) => ({
      ...seen,
      interrupted: false,
      signals: which === 'proof' ? seen.signals : won.signals,
      evidence: which === 'words' ? seen.evidence : which === 'some' ? { ...won.evidence, ...checks } : won.evidence,
      phase: seen.phase ?? 'GREEN',
    }))
  return fc.oneof(arbitrary.observation, nearly, winning(name))
}

/** An iteration where everything the preset requires passes, and the rest is arbitrary. */
export function winning(name: PresetName): fc.Arbitrary<Observation> {
  const yes = (check: string, counts: Readonly<Record<string, number>> = {}): Evidence => ({
    check,
    answer: 'yes',
    detail: 'seen',
    counts,
    ms: 1,
    tree: '',
  })
  const done = play({
    id: '',
    name: '',
    preset: name,
    turns: [[{ says: SAYS[name] ?? SAYS.default!, ...(name === 'prp' ? { phase: 'GREEN' } : {}) }, ['', '']]],
  }).steps[0]!.facts.signals
  const evidence: EvidenceSet = {
    tests: yes('tests', { total: 4, passed: 4, failed: 0, greenRuns: 2 }),
    checklist: yes('checklist', { total: 2, done: 2, open: 0 }),
    changed: yes('changed'),
    'task-done': yes('task-done'),
  }
  return fc
    .record({ failed: fc.boolean(), stalled: fc.boolean(), length: fc.nat(99) })
    .map(({ failed, stalled, length }) => ({
      signals: { ...done, length },
      evidence,
      spent: { ms: 0, tokens: 0, usd: 0 },
      interrupted: false,
      phase: 'GREEN',
      ...(failed ? { failed: { reason: 'exit 1' } } : {}),
      ...(stalled ? { stalled: { kind: 'overall' as const, minutes: 30 } } : {}),
    }))
}

const SAYS: Readonly<Record<string, string>> = {
  default: 'All tasks completed, ready for review.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n',
  doyaken: 'All tasks complete.\n\nDOYAKEN_STATUS:\n  PHASE_COMPLETE: true\n  TESTS_STATUS: pass\n',
  prp: '---PRP_PHASE_STATUS---\nPHASE: GREEN\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---\n',
  ralph: '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n',
}
