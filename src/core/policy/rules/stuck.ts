import { count } from '../../../../packages/core/src/count.ts'
import type { Breaker, Facts, Rule, StuckEnding } from '../../types.ts'
import { either, finding, stops, yesNo } from '../finding.ts'

const openRule = (name: string, which: (facts: Facts) => Breaker): Rule =>
  stops('stuck', 'breaker', name, (facts) => {
    const { state, reason = 'no reason recorded' } = which(facts)
    return either(name, state === 'open', `Circuit breaker is OPEN: ${reason}`, `the circuit breaker is ${state}`)
  })

/** The breaker is open, this iteration included. Success is decided first. */
export const breakerOpen: Rule = openRule('breaker-open', (facts) => facts.charged)

/** The breaker was open before this iteration: for presets that check it before success. */
export const breakerWasOpen: Rule = openRule('breaker-was-open', (facts) => facts.breaker)

/** Too many iterations in a row in which something was so. */
const tooLong = (ending: StuckEnding, name: string, streak: string, limit: number, text: (n: number) => string): Rule =>
  stops('stuck', ending, name, ({ streaks }) => {
    const n = streaks[streak]?.n ?? 0
    return finding(name, yesNo(n >= limit), text(n))
  })

/** One task failed too many times in a row. Another task starts the count again. */
export const sameTask = (limit: number): Rule =>
  tooLong('same-task', 'same-task', 'sameTask', limit, (n) => `Same task failed ${count(n, 'time')}`)

/** Too many iterations in a row without what the preset counts as progress. */
export const stagnation = (name: string, streak: string, limit: number, text: (n: number) => string): Rule =>
  tooLong('stagnation', name, streak, limit, text)

/** How often the files returned to an earlier state, within the remembered iterations. */
function returns(trees: readonly string[]): number {
  return trees.filter(
    (tree, i) => i >= 2 && tree !== '' && tree !== trees[i - 1] && trees.slice(0, i - 1).includes(tree),
  ).length
}

/** The agent does and undoes the same work. */
export const oscillation = (limit: number): Rule =>
  stops('stuck', 'oscillation', 'oscillation', ({ trees }) => {
    const n = returns(trees)
    const text = `the files went back to an earlier state ${count(n, 'time')} in the last ${count(trees.length, 'iteration')}`
    return finding('oscillation', yesNo(n >= limit), text)
  })

/** The agent keeps claiming, the checks keep failing, and nothing improves in between. */
export const hollowClaims = (limit: number): Rule =>
  tooLong('hollow-claims', 'hollow-claims', 'hollowClaims', limit, (n) => {
    return `${count(n, 'claim')} in a row failed the checks, and nothing improved in between`
  })
