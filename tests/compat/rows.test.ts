import { describe, expect, it } from 'vitest'
import { cubLogLine } from '../../src/compat/cub.ts'
import { editState, gsdBanner } from '../../src/compat/gsd.ts'
import { compatPaths, compatWriters } from '../../src/compat/index.ts'
import { dualGateJson } from '../../src/compat/prp.ts'
import { breakerOpenBlock, statusBlock } from '../../src/compat/prp-block.ts'
import { overallProgress, type PhaseValues, progressPercent, validateSession } from '../../src/compat/prp-values.ts'
import { configure } from '../../src/config/project-config.ts'
import type { PresetName } from '../../src/core/config.ts'
import { play } from './play.ts'

describe('cub: log lines', () => {
  const rows: [indicators: number, explicit: boolean, threshold: number, line: string][] = [
    [3, true, 2, 'exit_gate_passed indicators=3 explicit=true'],
    [2, true, 2, 'exit_gate_passed indicators=2 explicit=true'],
    [2, false, 2, 'exit_gate_blocked indicators=2 explicit=false threshold=2'],
    [0, true, 2, 'exit_gate_blocked indicators=0 explicit=true threshold=2'],
    [1, true, 2, 'exit_gate_blocked indicators=1 explicit=true threshold=2'],
    [6, false, 2, 'exit_gate_blocked indicators=6 explicit=false threshold=2'],
  ]
  it.each(rows)('%i indicators, explicit %s, threshold %i', (indicators, explicit, threshold, line) => {
    expect(cubLogLine({ indicators, explicit, threshold })).toBe(line)
  })

  it('follow the verdict, not the numbers', () => {
    const gate = { indicators: 5, explicit: true, threshold: 2 }
    expect(cubLogLine({ ...gate, passed: false })).toBe('exit_gate_blocked indicators=5 explicit=true threshold=2')
    expect(cubLogLine({ ...gate, passed: true, forced: true })).toBe(
      'exit_gate_passed indicators=5 explicit=true forced=true',
    )
  })
})

describe('prp: progress of a phase', () => {
  const rows: [phase: string, values: PhaseValues, percent: number][] = [
    ['GREEN', { tests_passing: 6, tests_total: 10, consecutive_green_runs: 0 }, 54],
    ['GREEN', { tests_passing: 10, tests_total: 10, consecutive_green_runs: 2 }, 100],
    ['GREEN', { tests_passing: 10, tests_total: 10, consecutive_green_runs: 1 }, 95],
    ['GREEN', { tests_passing: 10, tests_total: 10, consecutive_green_runs: 9 }, 100],
    ['GREEN', { tests_passing: 1, tests_total: 3, consecutive_green_runs: 0 }, 30],
    ['GREEN', { tests_passing: 0, tests_total: 0, consecutive_green_runs: 2 }, 0],
    ['GREEN', {}, 0],
    ['RED', { criteria_covered: 2, criteria_count: 5 }, 40],
    ['RED', { criteria_covered: 0, criteria_count: 0 }, 0],
    ['REFACTOR', { iteration: 1 }, 20],
    ['REFACTOR', { iteration: 7 }, 100],
    ['DOCUMENT', { docs_generated: 3 }, 50],
    ['DOCUMENT', { docs_generated: 7 }, 100],
    ['QA', { verdict: 'APPROVE', blocking_issues: 0 }, 100],
    ['QA', { verdict: 'REJECT', blocking_issues: 1 }, 0],
    ['NONE', { iteration: 3 }, 0],
  ]
  it.each(rows)('%s %j', (phase, values, percent) => expect(progressPercent(phase, values)).toBe(percent))

  const sessions: [done: string[], phase: string, iteration: number, percent: number][] = [
    [['RED'], 'GREEN', 5, 32],
    [['RED', 'GREEN', 'REFACTOR', 'DOCUMENT', 'QA'], 'QA', 3, 100],
    [[], 'RED', 0, 0],
    [[], 'RED', 10, 10],
    [[], 'RED', 99, 10],
    [['RED', 'RED'], 'GREEN', 0, 10],
    [['RED', 'GREEN'], 'REFACTOR', 1, 56],
    [['RED', 'GREEN', 'REFACTOR'], 'DOCUMENT', 10, 85],
  ]
  it.each(sessions)('after %j in %s, iteration %i', (phases_completed, current_phase, current_iteration, percent) => {
    expect(overallProgress({ phases_completed, current_phase, current_iteration })).toBe(percent)
  })
})

describe('prp: resuming a session', () => {
  const session = { session_id: 'u', prp_file: 'a.md', started_at: 't', current_phase: 'GREEN', status: 'paused' }
  const without = ({ status: _gone, ...rest }: typeof session) => rest
  const rows: [name: string, state: unknown, requested: string, message: string][] = [
    ['paused', session, 'a.md', ''],
    ['running', { ...session, status: 'running' }, 'a.md', ''],
    ['suspended', { ...session, status: 'suspended' }, 'a.md', ''],
    ['in QA', { ...session, current_phase: 'QA' }, 'a.md', ''],
    ['another PRP', session, 'b.md', 'PRP mismatch: session=a.md, requested=b.md'],
    ['completed', { ...session, status: 'completed' }, 'a.md', 'Session already completed'],
    ['halted', { ...session, status: 'halted' }, 'a.md', 'Session halted by Circuit Breaker'],
    ['an odd status', { ...session, status: 'asleep' }, 'a.md', 'Invalid status: asleep'],
    ['an odd phase', { ...session, current_phase: 'BLUE' }, 'a.md', 'Invalid phase: BLUE'],
    ['a missing field', without(session), 'a.md', 'Missing required field: status'],
    ['nothing', undefined, 'a.md', 'Missing required field: session_id'],
    ['a list', [], 'a.md', 'Missing required field: session_id'],
  ]
  it.each(rows)('%s', (_name, state, requested, message) => {
    expect(validateSession(state, requested)).toEqual({ valid: message === '', message })
  })

  it('can be read back', () => {
    const { files } = play({ preset: 'prp', task: 'a.md', iterations: [{}] })
    const stored = JSON.parse(files.get('.prp-session/loop-state.json')!)
    expect(validateSession(stored, 'a.md')).toEqual({ valid: true, message: '' })
  })
})

describe('prp: both gates of one iteration', () => {
  const claim = { claim: true, claims: { 'prp-phase-status': true }, source: 'prp-phase-status', length: 1 }
  const tests = { tests_total: 10, tests_passing: 10, tests_failing: 0, consecutive_green_runs: 2 }
  const quiet = { evidence: { tests: { total: 10, passed: 9, failed: 1 } } }

  it('matches the documents', () => {
    const { inputs } = play({
      preset: 'prp',
      phase: 'GREEN',
      config: { breaker: { enabled: false } },
      iterations: [quiet, quiet, quiet, quiet, { signals: claim, evidence: { tests } }],
    })
    expect(dualGateJson(inputs[4]!)).toEqual({
      phase: 'GREEN',
      iteration: 5,
      gate_1: {
        satisfied: true,
        condition: 'tests_failing == 0 AND consecutive_green_runs >= 2',
        values: { tests_failing: 0, tests_passing: 10, tests_total: 10, consecutive_green_runs: 2 },
      },
      gate_2: { satisfied: true, source: 'explicit_signal' },
      can_exit: true,
      timestamp: '2026-01-13T10:25:00Z',
    })
    expect(statusBlock(inputs[4]!)).toContain('GATE_1_DETAIL: "tests_passing: 10/10, consecutive_runs: 2"')
  })

  it('asks the user when the breaker opens', () => {
    const failing = { failed: 'TypeError: x\nat y', evidence: { tests: { total: 10, passed: 3, failed: 7 } } }
    const { inputs } = play({ preset: 'prp', phase: 'GREEN', iterations: [failing, failing] })
    expect(breakerOpenBlock(inputs[1]!)).toBe(
      [
        '---CIRCUIT_BREAKER_OPEN---',
        'PHASE: GREEN',
        'REASON: No progress for 2 iterations',
        'ITERATIONS: 2',
        'TESTS_PASSING: 3/10 (no change)',
        'LAST_ERROR: TypeError: x at y',
        'SUGGESTION: Consider refactoring approach or splitting the feature',
        '',
        'OPTIONS:',
        '1. [R]eset and retry with current approach',
        '2. [S]kip GREEN phase (mark tests as known failures)',
        '3. [A]bort execution',
        '4. [M]odify approach (provide new guidance)',
        '---END_CIRCUIT_BREAKER_OPEN---',
        '',
      ].join('\n'),
    )
  })
})

describe('gsd: the final lines', () => {
  const tail = ['Last task: 05-02', 'Iterations: 9', 'Duration: 1h']
  const documented: [status: string, reason: string, head: string, color: string][] = [
    ['COMPLETED', 'All done', '=== Ralph Complete: COMPLETED ===', 'green'],
    ['STUCK', 'Same task failed 3 times', '=== Ralph Stuck: Same task failed 3 times ===', 'red'],
    ['INTERRUPTED', 'User interrupt', '=== Ralph Exited: INTERRUPTED ===', 'yellow'],
    ['ABORTED', 'Iteration cap reached', '=== Ralph Exited: ABORTED ===', 'yellow'],
  ]
  it.each(documented)('%s as documented', (status, reason, head, color) => {
    expect(gsdBanner(status, reason, '05-02', 9, '1h')).toEqual({ lines: [head, ...tail], color })
  })

  const shipped: [
    status: string,
    reason: string,
    task: string,
    iterations: number,
    seconds: number,
    duration: string,
  ][] = [
    ['COMPLETED', 'All tests pass and all plans done', 'COMPLETE', 3, 3725, '1h 2m'],
    ['STUCK', 'Same task failed 3 times', '05-01', 7, 60, '0h 1m'],
    ['ABORTED', 'Iteration cap reached', '05-02', 50, 28800, '8h 0m'],
    ['INTERRUPTED', 'User interrupt', '05-02', 4, 90, '0h 1m'],
    ['ABORTED', 'a/b', '05-02', 5, 10, '0h 0m'],
  ]
  it.each(shipped)('%s as shipped: %s', (status, reason, task, iterations, seconds, duration) => {
    expect(gsdBanner(status, reason, task, iterations, seconds, 'shipped').lines).toEqual([
      `=== Ralph Exit: ${status} ===`,
      `Reason: ${reason}`,
      `Last task: ${task}`,
      `Iterations: ${iterations}`,
      `Duration: ${duration}`,
    ])
  })
})

const before = `# Project State

## Current Position

Phase: 1 of 1 (Foo)
Plan: 1 of 2 in current phase
Status: In progress
Last activity: 2026-01-01

Progress: [                              ] 0%

## Iteration History

<!-- HISTORY_START -->
| # | Timestamp | Outcome | Task |
|---|-----------|---------|------|
| 1 | 2026-01-01 00:00:00 | SUCCESS | 01-01: ok |
<!-- HISTORY_END -->
`

describe('gsd: STATE.md', () => {
  const reasons: [reason: string, line: string, cell: string][] = [
    ['All tests pass and all plans done', 'All tests pass and all plans done', 'All tests pass and all plans done'],
    ['a/b', 'a/b', 'a/b'],
    ['a | b', 'a | b', 'a \\| b'],
    ['a\nStatus: EVIL\r\nb', 'a Status: EVIL b', 'a Status: EVIL b'],
    ["$& $1 $' \\1 & sed", "$& $1 $' \\1 & sed", "$& $1 $' \\1 & sed"],
    ['x <!-- HISTORY_END --> y', 'x <! -- HISTORY_END -- > y', 'x <! -- HISTORY_END -- > y'],
    ['\u0007bell\u001B[31m', 'bell [31m', 'bell [31m'],
  ]
  it.each(reasons)('%j changes three lines and nothing else', (reason, line, cell) => {
    const time = '2026-01-13 10:05:00'
    const text = `Exit: ABORTED - ${reason} (5 iterations, 0h 0m)`
    const after = editState(before, {
      status: 'ABORTED',
      activity: `${time} - ${reason}`,
      row: [5, time, 'ABORTED', text],
    })
    const expected = before
      .split('\n')
      .flatMap((old) => {
        if (old.startsWith('Status:')) return ['Status: ABORTED']
        if (old.startsWith('Last activity:')) return [`Last activity: ${time} - ${line}`]
        const row = `| 5 | ${time} | ABORTED | Exit: ABORTED - ${cell} (5 iterations, 0h 0m) |`
        return old.startsWith('|---') ? [old, row] : [old]
      })
      .join('\n')
    expect(after).toBe(expected)
  })

  const shapes: [name: string, markdown: string, expected: string][] = [
    ['an empty file', '', '\n## Iteration History\n\n<!-- HISTORY_START -->\nTABLE<!-- HISTORY_END -->\n'],
    [
      'no last line end',
      'Status: x',
      'Status: S\n\n## Iteration History\n\n<!-- HISTORY_START -->\nTABLE<!-- HISTORY_END -->\n',
    ],
    [
      'no table',
      '<!-- HISTORY_START -->\n<!-- HISTORY_END -->\n',
      '<!-- HISTORY_START -->\nTABLE<!-- HISTORY_END -->\n',
    ],
    [
      'no end mark',
      '<!-- HISTORY_START -->\n',
      '<!-- HISTORY_START -->\n\n## Iteration History\n\n<!-- HISTORY_START -->\nTABLE<!-- HISTORY_END -->\n',
    ],
  ]
  it.each(shapes)('%s', (_name, markdown, expected) => {
    const table = '| # | Timestamp | Outcome | Task |\n|---|-----------|---------|------|\n| 1 | t | S | x |\n'
    expect(editState(markdown, { status: 'S', activity: 'A', row: [1, 't', 'S', 'x'] })).toBe(
      expected.replace('TABLE', table),
    )
  })

  it('keeps Windows line endings', () => {
    const after = editState(before.replaceAll('\n', '\r\n'), { status: 'S', activity: 'A', row: [1, 't', 'S', 'x'] })
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })
})

describe('every preset', () => {
  it.each(Object.keys(compatWriters) as PresetName[])(
    '%s writes only below the workspace, and nothing if disabled',
    (preset) => {
      const config = configure({ preset })
      for (const path of compatPaths(config)) expect(path).not.toMatch(/^\/|\.\./)
      expect(compatPaths(configure({ preset, files: false }))).toEqual([])
      expect(play({ preset, config: { files: false }, iterations: [{}] }).files.size).toBe(0)
    },
  )
})
