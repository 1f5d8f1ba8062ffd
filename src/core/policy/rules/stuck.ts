import { count } from '../../count.ts'
import type { Breaker, Facts, Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

const openRule = (name: string, which: (facts: Facts) => Breaker, text: (reason: string) => string): Rule => ({
  name,
  when: (facts) => {
    const breaker = which(facts)
    const open = breaker.state === 'open'
    return finding(
      name,
      yesNo(open),
      open ? text(breaker.reason ?? 'no reason recorded') : `the circuit breaker is ${breaker.state}`,
    )
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'breaker' },
})

const plain = (reason: string) => `Circuit breaker is OPEN: ${reason}`

/** The breaker is open, this iteration included. Success is decided first. */
export const breakerOpen: Rule = openRule('breaker-open', (facts) => facts.charged, plain)

/** The breaker was open before this iteration: for presets that check it before success. */
export const breakerWasOpen: Rule = openRule('breaker-was-open', (facts) => facts.breaker, plain)

/** One task failed too many times in a row. Another task starts the count again. */
export const sameTask = (limit: number): Rule => ({
  name: 'same-task',
  when: ({ streaks }) => {
    const n = streaks.sameTask?.n ?? 0
    return finding('same-task', yesNo(n >= limit), `Same task failed ${count(n, 'time')}`)
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'same-task' },
})

/** Too many iterations in a row without what the preset counts as progress. */
export const stagnation = (name: string, streak: string, limit: number, text: (n: number) => string): Rule => ({
  name,
  when: ({ streaks }) => {
    const n = streaks[streak]?.n ?? 0
    return finding(name, yesNo(n >= limit), text(n))
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'stagnation' },
})

/** How often the files returned to an earlier state, within the remembered iterations. */
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
      `the files went back to an earlier state ${count(n, 'time')} in the last ${count(trees.length, 'iteration')}`,
    )
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'oscillation' },
})

/** The agent keeps claiming, the checks keep failing, and nothing improves in between. */
export const hollowClaims = (limit: number): Rule => ({
  name: 'hollow-claims',
  when: ({ streaks }) => {
    const n = streaks.hollowClaims?.n ?? 0
    return finding(
      'hollow-claims',
      yesNo(n >= limit),
      `${count(n, 'claim')} in a row failed the checks, and nothing improved in between`,
    )
  },
  decision: { action: 'stop', outcome: 'stuck', ending: 'hollow-claims' },
})
