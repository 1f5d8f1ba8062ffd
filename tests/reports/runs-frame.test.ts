import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { textWidth } from '../../src/reports/live/line.ts'
import { runsFrame, runsInWindow } from '../../src/reports/runs/frame.ts'
import { type Around, inOrder, type RunRow, type RunStatus, rowOf, statusText } from '../../src/reports/runs/row.ts'
import { anyCharacter } from '../any-character.ts'

const row = (more: Partial<RunRow> = {}): RunRow => ({
  id: 'parser-0123456789ab',
  project: 'parser',
  run: 'r1',
  preset: 'default',
  status: 'running',
  iteration: 3,
  claim: 'yes',
  proof: 'no',
  reason: 'the agent says that it is done, but the proof is missing',
  missing: [],
  breaker: 'closed',
  spent: { ms: 61_000, tokens: 41_000, usd: 0.53 },
  startedAt: 1000,
  seenAt: 60_000,
  answers: true,
  seq: 7,
  ...more,
})

const plain = { color: false, unicode: true, now: 192_000, from: 0 }
const ENDED = { status: 'ended', outcome: 'completed', ending: 'verified', proof: 'yes', reason: 'all done' } as const
const THREE = [
  row({ id: 'b', project: 'lexer', ...ENDED }),
  row(),
  row({ id: 'c', project: 'printer', status: 'idle', seenAt: 50_000, claim: 'unknown' }),
]

const both = (left: string, right: string, columns: number): string => left + right.padStart(columns - left.length)

describe('the list of runs in a terminal', () => {
  it('shows active runs first, each with claim, proof, reason, time and cost', () => {
    expect(runsFrame(THREE, { ...plain, columns: 90, rows: 12 })).toEqual([
      both('exitgate watch', '3 projects, 1 active', 90),
      '─'.repeat(90),
      'parser               running                   3  ✓ claim ✗ proof',
      both('  the agent says that it is done, but the proof is missing', '3m 11s · $0.53 · 41k tokens', 90),
      'lexer                verified                  3  ✓ claim ✓ proof',
      both('  all done', '59s · $0.53 · 41k tokens', 90),
      'printer              not running               3  ? claim ✗ proof',
      both('  the agent says that it is done, but the proof is missing', '49s · $0.53 · 41k tokens', 90),
      '',
      'q quit · up and down scroll',
    ])
  })

  it('uses one line per run in a small window, and shows how many are hidden', () => {
    expect(runsFrame(THREE, { ...plain, unicode: false, columns: 60, rows: 6, from: 1 })).toEqual([
      both('exitgate watch', '3 projects, 1 active', 60),
      '-'.repeat(60),
      'lexer          verified               3  + claim + proof al~',
      'printer        not running            3  ? claim x proof th~',
      '',
      both('q quit - up and down scroll', '1 above', 60),
    ])
  })

  it('shows a hint if there are no runs', () => {
    expect(runsFrame([], { ...plain, columns: 100, rows: 10 })[2]).toMatch(/^Nothing has been recorded here yet/)
  })

  it('never exceeds the window, and has no control characters', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constant('\u001b[2J\u001b]0;x\u0007\u202e'),
      fc.constant('宽'.repeat(99)),
    )
    const status = fc.constantFrom<RunStatus>('running', 'held', 'waiting', 'idle', 'ended', 'unreadable')
    const any = fc.record({ project: text, reason: text, status, iteration: fc.nat() }).map((more) => row(more))
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 200 }),
      rows: fc.integer({ min: 1, max: 40 }),
      from: fc.nat(5),
    })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 30 }), size, (rows, window) => {
        const lines = runsFrame(rows, { ...plain, ...window })
        expect(lines.length).toBeLessThanOrEqual(window.rows)
        for (const line of lines) {
          expect(textWidth(line)).toBeLessThanOrEqual(window.columns)
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
        }
      }),
      { numRuns: 200 },
    )
    expect(runsInWindow({ rows: 1, columns: 1 })).toBe(1)
  })
})

describe('the order of runs', () => {
  it('does not depend on the input order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(THREE, { minLength: 3 }), (rows) => {
        expect(inOrder(rows).map(({ project }) => project)).toEqual(['parser', 'lexer', 'printer'])
      }),
    )
  })
})

describe('the row of a run', () => {
  const around: Around = {
    id: 'my-app-0123456789ab',
    seenAt: 5,
    alive: true,
    answers: true,
    held: false,
    hide: (text) => text.replace('key-123', '[secret]'),
  }
  const state = { ...emptyState(), run: 'r1', startedAt: 1 }
  const running = { iteration: 4, at: 3 }
  const ended = { outcome: 'stuck', ending: 'breaker', reason: 'stuck with key-123', at: 5 } as const
  const limited = { n: 1, until: 9, kind: 'limit' } as const
  it.each([
    ['running', { ...state, running }, around],
    ['running', state, around],
    ['paused', state, { ...around, held: true }],
    ['running', { ...state, running }, { ...around, held: true }],
    ['waiting', { ...state, limited }, around],
    ['not running', { ...state, running }, { ...around, alive: false }],
    ['stuck: circuit breaker open', { ...state, ended }, { ...around, alive: false }],
  ])('says %s', (words, given, about) => {
    expect(statusText(rowOf(given, about))).toBe(words)
  })

  it.each([
    ['the task you gave', { task: 'Fix the cart', title: 'Fix the cart' }, 'Fix the cart'],
    [
      'the first line of the prompt, before the current item',
      { title: 'Round it', running: { ...running, task: 'item 2' } },
      'Round it',
    ],
    ['the current item of the plan', { running: { ...running, task: 'item 2' } }, 'item 2'],
    ['nothing', {}, undefined],
  ])('is about %s', (_name, more, task) => expect(rowOf({ ...state, ...more }, around).task).toBe(task))

  it('shows a readable project name and redacts secrets', () => {
    expect(rowOf({ ...state, ended }, around)).toMatchObject({ project: 'my-app', reason: 'stuck with [secret]' })
  })
})
