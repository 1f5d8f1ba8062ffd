import { count } from '../../../packages/core/src/count.ts'
import type { Answer } from '../../core/types.ts'
import type { Canary } from '../canary/index.ts'
import type { Flake, FlakeHistory } from '../flakes.ts'
import type { Quarantine } from '../quarantine.ts'
import { isUnsteadyEntry } from '../unsteady.ts'
import { LEFT } from './findings.ts'
import type { JudgedRound } from './judge-round.ts'
import type { Trouble } from './round.ts'
import {
  countsSentence,
  flakeSentence,
  listPaths,
  quarantineSentences,
  testSentences,
  unsteadySentences,
} from './sentences.ts'
import type { TreeChanges } from './tree-watch.ts'

/** What the runs of the tests on one tree showed. */
export interface Findings {
  readonly last: JudgedRound
  readonly rounds: readonly JudgedRound[]
  readonly wanted: number
  readonly tree: TreeChanges
  /** Flakes that no quarantine covers. */
  readonly uncoveredFlakes: readonly Flake[]
  readonly unnamedFlake: string | undefined
  readonly canary: Canary | undefined
  /** Tests that passed again, if not all ran again. */
  readonly confirmed: number | undefined
}

const isConfirmed = ({ rounds, wanted, confirmed }: Findings): boolean =>
  rounds.length === wanted || confirmed !== undefined

export function answerOf(findings: Findings): Answer {
  const { last, rounds, tree, uncoveredFlakes, unnamedFlake, canary } = findings
  const { failing, comparison, round } = last
  const { missing = [], unnamed = 0 } = comparison ?? {}
  const refuted = failing.length + missing.length + unnamed > 0 || round.troubles.some(({ answer }) => answer === 'no')
  const flipped = rounds.some(({ green }) => green) && !last.green
  if (tree.changed.length > 0) return 'unknown'
  // Tests that passed a moment ago on the same tree are flaky, not failing.
  if (refuted) return flipped ? 'unknown' : 'no'
  if (canary?.state === 'disarmed') return 'unknown'
  return rounds.every(({ green }) => green) &&
    isConfirmed(findings) &&
    uncoveredFlakes.length === 0 &&
    unnamedFlake === undefined
    ? 'yes'
    : 'unknown'
}

export function flakeText({ uncoveredFlakes, unnamedFlake }: Findings, history: FlakeHistory | undefined): string {
  if (uncoveredFlakes.length === 0) return `Different results for the same code: ${unnamedFlake}.`
  return flakeSentence(uncoveredFlakes, (name) => history?.rateOf(name))
}

export function detailOf(
  findings: Findings,
  flakes: string | undefined,
  flaked: readonly Flake[],
  quarantine: Quarantine,
): string {
  const { last, rounds, wanted, tree, canary, confirmed } = findings
  const { round, comparison, failing, accepted, unsteady } = last
  const touched = [...(comparison?.tests ?? []), ...flaked]
  const entries = (find: Quarantine['active']) => {
    const found = touched.flatMap((test) => {
      const entry = find(test, test.file)
      return entry === undefined ? [] : [[test.name, { name: test.name, entry }] as const]
    })
    return [...new Map(found).values()]
  }
  const flakedBefore = entries(quarantine.active).filter(({ entry }) => isUnsteadyEntry(entry))
  const { tests: all = [], missing = [], fixed = [], unnamed = 0, fewer = 0 } = comparison ?? {}
  const dropped = all.filter((test) => test.change === 'missing' && !test.blocks)
  const sentences = [
    ...(tree.changed.length > 0 ? [`Files changed while the tests ran: ${listPaths(tree.changed)}.`] : []),
    ...round.troubles.map(({ why }: Trouble) => why),
    ...(canary?.state === 'disarmed' ? [canary.detail] : []),
    ...(round.run === undefined ? [] : [countsSentence(round.run, rounds.length)]),
    ...testSentences({ failing, accepted, missing, dropped, fixed }),
    ...(unnamed > 0 ? [`The report does not name ${count(unnamed, 'failing test')}.`] : []),
    ...(fewer > 0 ? [`${count(fewer, 'fewer test')} ran than before, and the report does not say which.`] : []),
    ...(flakes === undefined ? [] : [flakes]),
    ...(canary !== undefined && canary.state !== 'disarmed' && last.green ? [canary.detail] : []),
    ...(confirmed === undefined ? [] : [`${count(confirmed, 'changed or newly fixed test')} passed a second time.`]),
    ...(last.green && !isConfirmed(findings) && tree.changed.length === 0 && canary?.state !== 'disarmed'
      ? [`Only ${rounds.length} of ${count(wanted, 'run')} done.`]
      : []),
    ...unsteadySentences(unsteady, flakedBefore),
    ...quarantineSentences(
      entries(quarantine.active).filter(({ entry }) => !isUnsteadyEntry(entry)),
      entries(quarantine.expired),
    ),
    ...quarantine.problems,
    ...(tree.rewritten.length > 0
      ? [`Rewritten with the same content while the tests ran: ${listPaths(tree.rewritten)}.`]
      : []),
  ]
  const ends = round.troubles.flatMap(({ ended }) => (ended === undefined ? [] : [`${ended}\n`]))
  return [sentences.join(' '), ...ends].join('\n')
}

export function countsOf(
  { last, rounds, unnamedFlake, canary, confirmed }: Findings,
  greenOnTree: number | undefined,
): Record<string, number> {
  const { round, comparison, accepted, unsteady } = last
  const green = last.green && unnamedFlake === undefined ? rounds.filter((judgedRound) => judgedRound.green).length : 0
  const broken = {
    ...(canary?.state === 'armed' && { canary: canary.failed }),
    ...(canary?.state === 'disarmed' && { disarmed: canary.passed }),
  }
  const again = confirmed === undefined ? {} : { confirmed }
  const counts = { runs: rounds.length, greenRuns: greenOnTree ?? green, ...again, ...broken }
  if (round.run === undefined) return counts
  const { passed, failed, skipped, aside = 0 } = round.run
  const [missing, fixed] = [comparison?.missing.length ?? 0, comparison?.fixed.length ?? 0]
  const gone = comparison?.tests.filter(({ change, blocks }) => change === 'missing' && !blocks).length ?? 0
  const ran = { total: round.run.total - aside, passed, failed, skipped, ...(gone > 0 && { gone }) }
  const known = unsteady.length > 0 ? { unsteady: unsteady.length } : {}
  const left = accepted.filter(({ why }) => why === LEFT).length
  const excused = accepted.length + unsteady.length
  return { ...ran, excused, ...(left > 0 && { left }), ...known, missing, fixed, ...counts }
}
