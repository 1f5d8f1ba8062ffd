import { describe, expect, it } from 'vitest'
import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import type { Answer, EvidenceSet, Facts } from '../../src/core/types.ts'
import { play } from '../scenarios/play.ts'
import { type Given, type Turn, ticks } from '../scenarios/row.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly preset: PresetName
  readonly before?: Turn
  readonly now: Turn
  readonly progress: Answer
  readonly config?: ConfigPatch
  readonly baseline?: Given
}

const phase = (
  id: string,
  name: string,
  which: string,
  before: Given | undefined,
  now: Given,
  progress: Answer,
  more: Partial<Row> = {},
): Row => ({
  id,
  name,
  preset: 'prp',
  ...(before === undefined ? {} : { before: { phase: which, evidence: before } }),
  now: { phase: which, evidence: now },
  progress,
  ...more,
})
const tests = (passed: number, failed: number, more: Given = {}): Given => ({
  tests: { passed, failed, total: passed + failed, ...more },
})

const rows: readonly Row[] = [
  phase(
    'prp-32',
    'RED: more tests',
    'RED',
    { ...tests(0, 3), criteria_covered: 2 },
    { ...tests(0, 5), criteria_covered: 2 },
    'yes',
  ),
  phase(
    'prp-32',
    'RED: another criterion covered',
    'RED',
    { ...tests(0, 3), criteria_covered: 2 },
    { ...tests(0, 3), criteria_covered: 3 },
    'yes',
  ),
  phase(
    'prp-32',
    'RED: the same again',
    'RED',
    { ...tests(0, 3), criteria_covered: 2 },
    { ...tests(0, 3), criteria_covered: 2 },
    'no',
  ),
  phase(
    'prp-33',
    'GREEN: the second green run that the gate asks for',
    'GREEN',
    tests(10, 0, { greenRuns: 1 }),
    tests(10, 0, { greenRuns: 2 }),
    'yes',
  ),
  phase(
    'prp-33',
    'GREEN: a third run is neither; only the signal is missing',
    'GREEN',
    tests(10, 0, { greenRuns: 2 }),
    tests(10, 0, { greenRuns: 3 }),
    'unknown',
  ),
  phase('prp-33', 'GREEN: the second of three that are asked for', 'GREEN', tests(10, 0), tests(10, 0), 'yes', {
    config: { prp: { greenRuns: 3 } },
  }),
  phase('prp-34', 'GREEN: fewer pass', 'GREEN', tests(6, 4), tests(4, 6), 'no'),
  phase('prp-34', 'GREEN: more pass', 'GREEN', tests(6, 4), tests(7, 3), 'yes'),
  phase('prp-34', 'GREEN: the same pass', 'GREEN', tests(6, 4), tests(6, 4), 'no'),
  phase('prp-34', 'GREEN: a failing test deleted is no progress', 'GREEN', tests(6, 4), tests(6, 3), 'no'),
  phase(
    'prp-34',
    'GREEN: a failing test skipped is no progress',
    'GREEN',
    tests(6, 4),
    { tests: { passed: 6, failed: 3, skipped: 1, total: 10 } },
    'no',
  ),
  phase('prp-34', 'GREEN: no numbers', 'GREEN', {}, {}, 'unknown'),
  phase(
    'prp-35',
    'REFACTOR: another pattern',
    'REFACTOR',
    { quality: { patterns_applied: ['a'] } },
    { quality: { patterns_applied: ['a', 'b'] } },
    'yes',
  ),
  phase(
    'prp-35',
    'REFACTOR: less complexity',
    'REFACTOR',
    { quality: { complexity: 9 } },
    { quality: { complexity: 8 } },
    'yes',
  ),
  phase(
    'prp-35',
    'REFACTOR: less duplication',
    'REFACTOR',
    { quality: { duplication: 3, complexity: 9 } },
    { quality: { duplication: 2, complexity: 9 } },
    'yes',
  ),
  phase(
    'prp-35',
    'REFACTOR: more complexity',
    'REFACTOR',
    { quality: { complexity: 8 } },
    { quality: { complexity: 9 } },
    'no',
  ),
  phase(
    'prp-36',
    'DOCUMENT: an ADR appears',
    'DOCUMENT',
    { documents: { docs: 2, diagramsValid: 1, adr: false } },
    { documents: { docs: 2, diagramsValid: 1, adr: true } },
    'yes',
  ),
  phase(
    'prp-36',
    'DOCUMENT: another valid diagram',
    'DOCUMENT',
    { documents: { docs: 2, diagramsValid: 1 } },
    { documents: { docs: 2, diagramsValid: 2 } },
    'yes',
  ),
  phase(
    'prp-36',
    'DOCUMENT: another document',
    'DOCUMENT',
    { documents: { docs: 2 } },
    { documents: { docs: 3 } },
    'yes',
  ),
  phase(
    'prp-36',
    'DOCUMENT: the same again',
    'DOCUMENT',
    { documents: { docs: 2, adr: true } },
    { documents: { docs: 2, adr: true } },
    'no',
  ),
  phase(
    'prp-qa',
    'QA: fewer issues that block',
    'QA',
    { review: { blocking: 3, approved: false } },
    { review: { blocking: 2, approved: false } },
    'yes',
    { config: { prp: { qa: true } } },
  ),
  phase('prp-first', 'the first iteration has nothing to compare with', 'GREEN', undefined, tests(3, 7), 'unknown'),
  phase('prp-first', 'unless there is a baseline: no better than that', 'GREEN', undefined, tests(3, 7), 'no', {
    baseline: tests(3, 7),
  }),
  phase('prp-first', 'unless there is a baseline: better than that', 'GREEN', undefined, tests(4, 6), 'yes', {
    baseline: tests(3, 7),
  }),
  {
    id: 'ralph-A53 ralph-A55',
    name: 'another tree is progress',
    preset: 'default',
    before: { tree: 'a', evidence: { changed: true } },
    now: { tree: 'b', evidence: { changed: true } },
    progress: 'yes',
  },
  {
    id: 'ralph-A54',
    name: 'the same tree is none, however dirty',
    preset: 'default',
    before: { tree: 'a', evidence: { changed: true } },
    now: { tree: 'a', evidence: { changed: true } },
    progress: 'no',
  },
  {
    id: 'default-changed',
    name: 'without trees a change tells',
    preset: 'default',
    now: { evidence: { changed: true } },
    progress: 'yes',
  },
  {
    id: 'default-changed',
    name: 'without trees no change tells',
    preset: 'default',
    now: { evidence: { changed: false } },
    progress: 'no',
  },
  { id: 'default-silent', name: 'nothing tells', preset: 'default', now: { says: 'all good' }, progress: 'unknown' },
  {
    id: 'default-better',
    name: 'fewer failing tests tell',
    preset: 'default',
    before: { evidence: tests(5, 5) },
    now: { evidence: tests(5, 4) },
    progress: 'yes',
  },
  {
    id: 'default-better',
    name: 'another tick tells',
    preset: 'default',
    before: { plan: ticks(1, 3) },
    now: { plan: ticks(2, 2) },
    progress: 'yes',
  },
  {
    id: 'default-better',
    name: 'better than the baseline tells in the first iteration',
    preset: 'default',
    now: { evidence: tests(6, 4) },
    baseline: tests(5, 5),
    progress: 'yes',
  },
  {
    id: 'ralph-A58',
    name: 'a claim counts as progress for ralph',
    preset: 'ralph',
    now: { says: 'EXIT_SIGNAL: true', evidence: { changed: false } },
    progress: 'yes',
  },
]

describe('progress', () => {
  it.each(rows)('$id: $name', ({ preset, before, now, progress, config, baseline }) => {
    const turns = [...(before === undefined ? [] : [before]), now].map((turn) => [turn, ['', '']] as const)
    const played = play({
      id: '',
      name: '',
      preset,
      turns,
      ...(config === undefined ? {} : { config }),
      ...(baseline === undefined ? {} : { baseline }),
    })
    const found = played.policy.progress(played.steps.at(-1)!.facts)
    expect(found.answer, found.detail).toBe(progress)
  })

  it.each([
    ['fewer failing tests in a quick run', tests(5, 5), tests(2, 0), 'now'],
    ['more passing tests than in a quick run', tests(2, 0), tests(10, 0), 'before'],
  ] as const)('%s tell nothing: other tests ran', (_name, before, now, quick) => {
    const turns = [before, now].map((evidence) => [{ evidence }, ['', '']] as const)
    const { policy, steps } = play({ id: '', name: '', preset: 'default', turns })
    const { facts } = steps.at(-1)!
    const asQuick = ({ tests, ...rest }: EvidenceSet): EvidenceSet => ({ ...rest, tests: { ...tests!, quick: true } })
    const seen: Facts =
      quick === 'now'
        ? { ...facts, evidence: asQuick(facts.evidence) }
        : { ...facts, previous: { ...facts.previous!, evidence: asQuick(facts.previous!.evidence) } }
    expect([policy.progress(facts).answer, policy.progress(seen).answer]).toEqual(['yes', 'unknown'])
  })
})
