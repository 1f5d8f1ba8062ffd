import { compareRuns, type Flake, type FlakeHistory } from '../flakes.ts'
import type { JudgedRound } from './judge-round.ts'

/** After this many passing runs in a row, a tree that failed before counts as settled. */
const SETTLED_RUNS = 4

/** Differences between these runs, and between them and earlier ones on the same tree. */
export function flakesOf(rounds: readonly JudgedRound[], history: FlakeHistory | undefined, tree: string) {
  const runs = rounds.flatMap(({ round }) => (round.run === undefined ? [] : [round.run]))
  const { flakes, unnamed } = compareRuns(runs)
  const before = history?.onTree(tree)
  const greenNow = rounds.at(-1)!.green ? (before?.green ?? 0) + rounds.filter(({ green }) => green).length : 0
  const failedThen = new Set(before?.failed ?? [])
  const passing = runs.at(-1)?.tests?.filter(({ name, state }) => state === 'passed' && failedThen.has(name)) ?? []
  const turned =
    greenNow >= SETTLED_RUNS
      ? []
      : passing.map(
          ({ name, file }): Flake => ({
            name,
            ...(file !== undefined && { file }),
            states: ['failed earlier', 'passed'],
          }),
        )
  const fresh = turned.filter(({ name }) => !flakes.some((flake) => flake.name === name))
  return { flakes: [...flakes, ...fresh], ...(unnamed !== undefined && { unnamed }) }
}
