import { count } from '../../../packages/core/src/count.ts'
import { brokenSentence } from '../../../packages/exitgate/src/checks/broken.ts'
import { isByExitCode } from '../../../packages/exitgate/src/checks/exit-code.ts'
import { orderSentence } from '../../../packages/exitgate/src/checks/experiments.ts'
import { unnamedSentences } from '../../../packages/exitgate/src/checks/unnamed-tests.ts'
import type { Answer } from '../../core/types.ts'
import type { Proof } from '../experiments.ts'
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
  readonly tree: TreeChanges
  /** Flakes that no quarantine covers. */
  readonly uncoveredFlakes: readonly Flake[]
  readonly unnamedFlake: string | undefined
  /** What the experiments showed that followed a run in which everything passed. */
  readonly proof: Proof | undefined
  /** Changed files that probably keep broken tests from failing. */
  readonly suspects: readonly string[]
}

/** How often all tests ran: with the agent's files, and with the original ones. */
export const runsIn = ({ rounds, proof }: Pick<Findings, 'rounds' | 'proof'>): number =>
  rounds.length + (proof?.originals?.run === undefined || proof.onlyFiles !== undefined ? 0 : 1)

export function answerOf(findings: Findings): Answer {
  const { last, rounds, tree, uncoveredFlakes, unnamedFlake, proof } = findings
  const { failing, comparison, round } = last
  const { missing = [], unnamed } = comparison ?? {}
  const refuted =
    failing.length + missing.length + (unnamed?.failing ?? 0) > 0 ||
    round.troubles.some(({ answer }) => answer === 'no')
  const flipped = rounds.some(({ green }) => green) && !last.green
  if (tree.changed.length > 0) return 'unknown'
  // Tests that passed a moment ago on the same tree are flaky, not failing.
  if (refuted) return flipped ? 'unknown' : 'no'
  if (proof?.broken?.state === 'disarmed' || proof?.why !== undefined) return 'unknown'
  return rounds.every(({ green }) => green) && uncoveredFlakes.length === 0 && unnamedFlake === undefined
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
  const { last, tree, proof, suspects } = findings
  const { round, comparison, failing, accepted, unsteady } = last
  const isDisarmed = proof?.broken?.state === 'disarmed'
  const broken = proof?.broken === undefined ? [] : [brokenSentence(proof.broken, suspects)]
  const touched = [...(comparison?.tests ?? []), ...flaked]
  const entries = (find: Quarantine['active']) => {
    const found = touched.flatMap((test) => {
      const entry = find(test, test.file)
      return entry === undefined ? [] : [[test.name, { name: test.name, entry }] as const]
    })
    return [...new Map(found).values()]
  }
  const flakedBefore = entries(quarantine.active).filter(({ entry }) => isUnsteadyEntry(entry))
  const { tests: all = [], missing = [], fixed = [], unnamed } = comparison ?? {}
  const dropped = all.filter((test) => test.change === 'missing' && !test.blocks)
  const sentences = [
    ...(tree.changed.length > 0 ? [`Files changed while the tests ran: ${listPaths(tree.changed)}.`] : []),
    ...round.troubles.map(({ why }: Trouble) => why),
    ...(isDisarmed ? broken : []),
    ...(proof?.why === undefined ? [] : [proof.why]),
    ...(round.run === undefined ? [] : [countsSentence(round.run, runsIn(findings))]),
    ...(proof?.onlyFiles === undefined || proof.originals?.run === undefined
      ? []
      : [
          `Of this long suite, ${count(proof.onlyFiles.length, 'test file')} that the change can reach ran a second time.`,
        ]),
    ...testSentences({ failing, accepted, missing, dropped, fixed }),
    ...(unnamed === undefined ? [] : unnamedSentences(unnamed)),
    ...(flakes === undefined ? [] : [flakes]),
    ...(proof?.ordered === undefined ? [] : [orderSentence(proof.ordered)]),
    ...(!isDisarmed && last.green ? broken : []),
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
  const ended = [...round.troubles.map((trouble) => trouble.ended), ...(round.ends ?? [])]
  const ends = ended.flatMap((text) => (text ? [`${text}\n`] : []))
  return [sentences.join(' '), ...ends].join('\n')
}

export function countsOf(findings: Findings, greenOnTree: number | undefined): Record<string, number> {
  const { last, rounds, unnamedFlake, proof, uncoveredFlakes } = findings
  const { round, comparison, accepted, unsteady } = last
  const runs = runsIn(findings)
  const again = uncoveredFlakes.length === 0 ? runs - rounds.length : 0
  const green = last.green && unnamedFlake === undefined ? rounds.filter((each) => each.green).length + again : 0
  const { broken: result, originals } = proof ?? {}
  const broken = {
    ...(result?.state === 'armed' && { canary: result.failed }),
    ...(result?.state === 'disarmed' && { disarmed: result.passed.length }),
    ...(proof?.onlyFiles !== undefined && originals?.run !== undefined && { confirmed: originals.run.passed }),
    ...(proof?.isAdded && { added: 1 }),
    ...(originals?.tree === 'original' && { cleared: originals.cleared, refuted: originals.refuted.length }),
  }
  const counts = { runs, greenRuns: greenOnTree ?? green, ...broken }
  if (round.run === undefined) return counts
  const { passed, failed, skipped, aside = 0 } = round.run
  const [missing, fixed] = [comparison?.missing.length ?? 0, comparison?.fixed.length ?? 0]
  const gone = comparison?.tests.filter(({ change, blocks }) => change === 'missing' && !blocks).length ?? 0
  const byExitCode = isByExitCode(round.run) ? { byExitCode: round.run.total } : {}
  const ran = { total: round.run.total - aside, passed, failed, skipped, ...(gone > 0 && { gone }) }
  const known = unsteady.length > 0 ? { unsteady: unsteady.length } : {}
  const left = accepted.filter(({ why }) => why === LEFT).length
  const excused = accepted.length + unsteady.length + (comparison?.unnamed.accepted ?? 0)
  return { ...ran, ...byExitCode, excused, ...(left > 0 && { left }), ...known, missing, fixed, ...counts }
}
