import { newLines } from '../tree/line-diff.ts'
import type { RefutedTest } from './originals.ts'
import type { ChangedFile } from './sides.ts'
import { titleOf } from './test-names.ts'
import type { JudgedTest } from './without.ts'

/**
 * Tests that expect something else, in the order in which you should look at them. Those that pass on the original code too come first:
 * the change did not need them. Then come those with a new value that the change of the product does not contain. Others keep their place.
 */
export function doubtfulFirst(
  refuted: readonly RefutedTest[],
  without: readonly JudgedTest[],
  product: readonly ChangedFile[],
): readonly RefutedTest[] {
  const changed = refuted.filter(({ is }) => is === 'changed')
  if (changed.length < 2) return refuted
  const added = product.map(newLines).join('\n')
  const isNeedless = ({ name, file, successor }: RefutedTest) =>
    without.some(
      ({ test, judgement }) =>
        judgement === 'vacuous' &&
        test.name === titleOf(successor?.name ?? name) &&
        test.file === (successor?.file ?? file ?? test.file),
    )
  const isForeign = ({ successor }: RefutedTest) =>
    (successor?.entered ?? []).some((value) => !added.includes(value.replace(/^(['"`])(.*)\1$/s, '$2')))
  const rankOf = (test: RefutedTest) => (isNeedless(test) ? 0 : isForeign(test) ? 1 : 2)
  const sorted = changed
    .map((test) => ({ test, rank: rankOf(test) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ test }) => test)
  return refuted.map((test) => (test.is === 'changed' ? sorted.shift()! : test))
}
