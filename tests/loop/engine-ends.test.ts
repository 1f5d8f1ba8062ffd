import { describe, expect, it } from 'vitest'
import type { Control } from '../../src/core/run.ts'
import { endsStep, type StepId, type StepKind, stepName } from '../../src/loop/engine.ts'

/** The control, the running step, and whether that step ends. */
it.each<[kind: Control['kind'], step: StepKind, over: boolean]>([
  ['interrupt', 'begin', true],
  ['force', 'begin', false],
  ['skip', 'begin', false],
  ['guidance', 'begin', false],
  ['interrupt', 'agent', false],
  ['force', 'agent', true],
  ['skip', 'agent', true],
  ['pause', 'agent', false],
  ['interrupt', 'evidence', true],
  ['guidance', 'evidence', false],
  ['resume', 'wait', true],
])('%s during "%s" ends it: %s', (kind, step, over) => {
  expect(endsStep({ kind, by: 'the user', reason: 'test' }, step, false)).toBe(over)
})

describe('the name of a step is the same as in version 0.1', () => {
  const names: [StepId, string][] = [
    [{ kind: 'begin' }, 'begin'],
    [{ kind: 'ready', turn: 1 }, 'ready 1'],
    [{ kind: 'wait', turn: 2 }, 'wait 2'],
    [{ kind: 'agent', iteration: 3, attempt: 2 }, 'agent 3.2'],
    [{ kind: 'limit', turn: 3 }, 'limit 3'],
    [{ kind: 'evidence', turn: 3 }, 'evidence 3'],
    [{ kind: 'decide', turn: 3 }, 'decide 3'],
    [{ kind: 'menu', turn: 4 }, 'menu 4'],
    [{ kind: 'record', what: 'control', turn: 1 }, 'record control 1'],
    [{ kind: 'record', what: 'control', turn: 1, after: 'agent' }, 'record control 1 after the agent'],
    [{ kind: 'record', what: 'control', turn: 1, after: 'evidence' }, 'record control 1 after the evidence'],
    [{ kind: 'record', what: 'task', turn: 1 }, 'record task 1'],
    [{ kind: 'record', what: 'start', turn: 1 }, 'record start 1'],
    [{ kind: 'record', what: 'limited', turn: 1 }, 'record limited 1'],
    [{ kind: 'record', what: 'chosen', turn: 1 }, 'record chosen 1'],
    [{ kind: 'record', what: 'the end' }, 'record the end'],
  ]
  it.each(names)('%j', (id, name) => {
    expect(stepName(id)).toBe(name)
  })
})
