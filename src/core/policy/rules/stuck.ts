import type { Breaker, Facts, Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

const openRule = (name: string, which: (facts: Facts) => Breaker, words: (reason: string) => string): Rule => ({
  name,
  when: (facts) => {
    const breaker = which(facts)
    const open = breaker.state === 'open'
    return finding(
      name,
      yesNo(open),
      open ? words(breaker.reason ?? 'no reason was recorded') : `the breaker is ${breaker.state}`,
    )
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'breaker' },
})

const plain = (reason: string) => `Circuit breaker is OPEN: ${reason}`

/** The breaker is open with this iteration counted in: asked after success. */
export const breakerOpen: Rule = openRule('breaker-open', (facts) => facts.charged, plain)

/** The breaker was open before this iteration: for presets that let safety go before success. */
export const breakerWasOpen: Rule = openRule('breaker-was-open', (facts) => facts.breaker, plain)

/** One task failed too many times in a row; another task starts the count again at one. */
export const sameTask = (limit: number): Rule => ({
  name: 'same-task',
  when: ({ streaks }) => {
    const n = streaks.sameTask?.n ?? 0
    return finding('same-task', yesNo(n >= limit), `Same task failed ${n} times`)
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'same-task' },
})

/** A streak of iterations without what the preset calls progress is long enough. */
export const stagnation = (name: string, streak: string, limit: number, words: (n: number) => string): Rule => ({
  name,
  when: ({ streaks }) => {
    const n = streaks[streak]?.n ?? 0
    return finding(name, yesNo(n >= limit), words(n))
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'stagnation' },
})

/** How often, within the remembered iterations, the tree went back to what it had been before. */
function returns(trees: readonly string[]): number {
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

/** The agent keeps saying "done", the proof keeps saying no, and nothing gets better in between. */
export const hollowClaims = (limit: number): Rule => ({
  name: 'hollow-claims',
  when: ({ streaks }) => {
    const n = streaks.hollowClaims?.n ?? 0
    return finding(
      'hollow-claims',
      yesNo(n >= limit),
      `the agent said that it is done ${n} times in a row and the proof said no`,
    )
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'hollow-claims' },
})
