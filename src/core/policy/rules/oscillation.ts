import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** How often, within the remembered iterations, the tree went back to what it had been before. */
export function returns(trees: readonly string[]): number {
  return trees.filter(
    (tree, i) => i >= 2 && tree !== '' && tree !== trees[i - 1] && trees.slice(0, i - 1).includes(tree),
  ).length
}

/** The agent does and undoes the same work. */
export const oscillation = (limit: number): Rule => ({
  name: 'oscillation',
  when: ({ trees }) => {
    const n = returns(trees)
    return finding(
      'oscillation',
      yesNo(n >= limit),
      `the files went back to an earlier state ${n} times in the last ${trees.length} iterations`,
    )
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'oscillation' },
})
