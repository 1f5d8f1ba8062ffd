import { describe, expect, it } from 'vitest'
import { CHECK_COUNTS } from '../../src/core/check-counts.ts'
import { checkName, countName } from '../../src/evidence/given/names.ts'
import { createGate, defineCheck, definePreset, defineRule, type ProjectConfig } from '../../src/index.ts'
import { playScenario, testScenarios } from '../../src/library/testing.ts'

const output = 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'
const green = { tests: { passed: 3, failed: 0 }, changed: true }

describe('decide', () => {
  it('takes strings and bytes, and keeps counting between calls', () => {
    const gate = createGate({ limits: { iterations: 2 } })
    expect(gate.last).toBeUndefined()
    expect(gate.decide({ output: 'Working.', evidence: green }).action).toBe('continue')
    const bytes = new TextEncoder().encode('Working.')
    expect(gate.decide({ output: bytes, evidence: green })).toMatchObject({ outcome: 'aborted', ending: 'iterations' })
    expect(gate.last).toMatchObject({ ending: 'iterations' })
    // After a stop, the next call starts a new run with new counters.
    expect(gate.decide({ output, evidence: green })).toMatchObject({ outcome: 'completed', ending: 'passed' })
    const proven = { ...green, proven: true }
    expect(gate.decide({ output, evidence: proven })).toMatchObject({ outcome: 'completed', ending: 'verified' })
  })

  it('reads your own patterns', () => {
    const gate = createGate({ preset: 'cub', patterns: ['ship it'] })
    expect(gate.decide({ output: 'Ship it!', evidence: {} }).trace.length).toBeGreaterThan(0)
  })

  const misspelled: [string, object, string][] = [
    ['a check', { test: true }, 'unknown check: "test". Did you mean "tests"?'],
    ['a count', { tests: { fialed: 0 } }, 'unknown value of the check "tests": "fialed". Did you mean "failed"?'],
    ['your own command', { ee2: true }, 'unknown check: "ee2". Did you mean "e2e"?'],
    ['an answer', { e2e: 'maybe' }, 'The evidence for e2e is "maybe"; expected yes, no, unknown or an object.'],
  ]
  it.each(misspelled)('suggests the nearest name for %s', (_, evidence, message) => {
    const gate = createGate({ commands: { e2e: 'true' } })
    expect(() => gate.decide({ output, evidence })).toThrow(new TypeError(message))
  })

  it('accepts every check and count under its usual name', () => {
    for (const [check, counts] of Object.entries(CHECK_COUNTS)) {
      expect(checkName(check)).toBe(check)
      for (const count of counts) expect(countName(count, check)).toEqual({ check, count })
    }
  })
})

const tired = defineRule({
  name: 'tired',
  when: ({ iteration }) => ({ name: 'tired', answer: iteration > 1 ? 'yes' : 'no', detail: `iteration ${iteration}` }),
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

describe('custom rules, presets and checks', () => {
  it('a rule can stop a run, but only after the rules that can complete it', () => {
    const rules = [tired]
    const rows = [
      {
        name: 'stops',
        iterations: [
          { says: 'Working.', evidence: green, expect: 'continue' },
          { says: 'Working.', evidence: green, expect: 'aborted/needs-human', rule: 'tired' },
        ],
      },
      {
        name: 'completes first',
        iterations: [
          { says: 'Working.', evidence: green, expect: 'continue' },
          { says: output, evidence: green, expect: 'completed/passed', rule: 'gate' },
        ],
      },
    ]
    expect(() => testScenarios(rows, { rules })).not.toThrow()
  })

  it('a preset changes defaults and policy of the one it extends', () => {
    const preset = definePreset({
      name: 'strict',
      extends: 'default',
      defaults: { required: ['tests', 'style'] },
      policy: (base) => ({ ...base, rules: [tired, ...base.rules] }),
    })
    const checks = [defineCheck({ name: 'style', run: () => true })]
    const iterations = [
      { says: output, evidence: { ...green, style: false }, expect: 'continue' },
      { says: output, evidence: { ...green, style: true }, expect: 'aborted/needs-human', rule: 'tired' },
    ]
    expect(playScenario({ name: 'row', iterations }, { preset, checks })).toMatchObject({ problems: [] })
  })

  it('a failed scenario reports the actual decision', () => {
    const iterations = [{ says: output, evidence: green, expect: 'continue', rule: 'warn' }]
    expect(() => testScenarios([{ name: 'wrong', iterations }])).toThrow(
      /^wrong: iteration 1: expected continue by warn, but the rule gate decided completed\/passed \(.*\)$/,
    )
  })

  const run = () => true
  const refused: [string, object, RegExp][] = [
    [
      'a rule that completes a run',
      { rules: [{ ...tired, decision: { action: 'stop', outcome: 'completed', ending: 'verified' } }] },
      /completes a run, which only rules of a preset may do/,
    ],
    ['a check with a built-in name', { checks: [{ name: 'tests', run }] }, /the check name "tests" is built in/],
    [
      'a preset with a built-in name',
      { presets: [definePreset({ name: 'ralph' })] },
      /the preset name "ralph" is built in/,
    ],
    [
      'two checks with the same name',
      {
        checks: [
          { name: 'a', run },
          { name: 'a', run },
        ],
      },
      /two checks are named "a"/,
    ],
    ['a check without a function', { checks: [{ name: 'a' }] }, /the check "a" needs a function "run"/],
    ['an unknown preset', { preset: 'ralf' }, /Did you mean "ralph"/],
    ['an unknown key', { limitz: {} }, /Did you mean "limits"/],
    ['a missing folder', { dir: '/nowhere/at/all' }, /dir must be a folder, not "\/nowhere\/at\/all"/],
  ]
  it.each(refused)('rejects %s', (_, project, message) => {
    expect(() => createGate(project as ProjectConfig)).toThrow(message)
  })
})
