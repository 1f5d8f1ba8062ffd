import { expect, it } from 'vitest'
import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { configFor } from '../scenarios/play.ts'

/** The first matching rule decides, so this order is the precedence. It is repeated here on purpose. */
const rows: [name: string, preset: PresetName, config: ConfigPatch, order: string][] = [
  [
    'success before breaker, stuck before limits',
    'default',
    { limits: { usd: 1, tokens: 1 } },
    'interrupted, forced, gate, asks-permission, asks-question, refused, agent-fails, breaker-open, same-task, oscillation, unproven, needs-accept, hollow-claims, unverifiable, iterations, time, cost, tokens, needs-human, warn, continue',
  ],
  [
    'verified before threshold',
    'cub',
    {},
    'interrupted, forced, agent-override, gate, indicators, asks-question, breaker-open, same-task, iterations, time, needs-human, warn, continue',
  ],
  [
    'phases in their order',
    'prp',
    {},
    'interrupted, forced, skip RED, skip GREEN, skip REFACTOR, skip DOCUMENT, advance RED, advance GREEN, advance REFACTOR, gate, asks-question, breaker-open, same-task, iterations, time, needs-human, warn, continue',
  ],
  [
    'a rejection before the breaker',
    'prp',
    { prp: { qa: true } },
    'interrupted, forced, skip RED, skip GREEN, skip REFACTOR, skip DOCUMENT, skip QA, advance RED, advance GREEN, advance REFACTOR, advance DOCUMENT, gate, qa-escalation, qa-rejected, asks-question, breaker-open, same-task, iterations, time, needs-human, warn, continue',
  ],
  [
    'interrupt, breaker, score, warning',
    'doyaken',
    { doyaken: { structuredSignal: 'booster' } },
    'interrupted, forced, breaker-was-open, gate, score, without-block, asks-question, breaker-open, same-task, iterations, time, needs-human, warn, continue',
  ],
  [
    'its seven rules, among the shared ones',
    'blackbox',
    {},
    'interrupted, forced, breaker-was-open, completion, completion-threshold, low-confidence, errors, all-ticked, stagnation, breaker-open, iterations, time, continue',
  ],
  [
    'a stuck task before the breaker',
    'gsd',
    {},
    'interrupted, forced, gate, same-task, breaker-open, iterations, time, warn, continue',
  ],
  [
    'denied tools and endless testing first',
    'ralph',
    {},
    'interrupted, forced, breaker-was-open, permission-denied, test-saturation, plan-complete, completion-signals, project-complete, hollow-claims, breaker-open, iterations, time, needs-human, warn, continue',
  ],
]

it.each(rows)('%s (%s)', (_name, preset, config, order) => {
  const { rules } = policyFor(configFor(preset, config))
  expect(rules.map((rule) => rule.name).join(', ')).toBe(order)
})
