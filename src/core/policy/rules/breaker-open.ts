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
