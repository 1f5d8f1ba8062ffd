import { expect, it } from 'vitest'
import type { Control } from '../../src/core/run.ts'
import { ends } from '../../src/loop/engine-local.ts'

/** What is asked, during which step, and whether that step is over then. */
it.each<[kind: Control['kind'], step: string, over: boolean]>([
  ['interrupt', 'begin', true],
  ['force', 'begin', false],
  ['skip', 'begin', false],
  ['guidance', 'begin', false],
  ['interrupt', 'agent 1.1', false],
  ['force', 'agent 1.1', true],
  ['skip', 'agent 1.1', true],
  ['pause', 'agent 1.1', false],
  ['interrupt', 'evidence 1', true],
  ['guidance', 'evidence 1', false],
  ['resume', 'wait 1', true],
])('%s during "%s" ends it: %s', (kind, step, over) => {
  expect(ends({ kind, by: 'a person', reason: 'so' }, step, false)).toBe(over)
})
