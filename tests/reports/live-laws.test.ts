import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { NO_SIGNALS } from '../../src/core/signals/read-signals.ts'
import type { Answer, Evidence } from '../../src/core/types.ts'
import { banner } from '../../src/reports/live/banner.ts'
import { heartbeatLine, jsonLine, plainLine } from '../../src/reports/live/event-lines.ts'
import { frame } from '../../src/reports/live/frame.ts'
import { textWidth } from '../../src/reports/live/line.ts'
import { emptyView, follow, type View } from '../../src/reports/live/view.ts'
import { anyCharacter } from '../any-character.ts'
import { completedRun, endOf, phasesRun, refusedRun, resultOf, START, stuckRun, tellRun } from './live-scenes.ts'

/** Anything an agent may print, including escape sequences. */
const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.constantFrom(
        '\u001b[2J',
        '\u001b]0;title\u0007',
        '\u001b]52;c;aGk=\u001b\\',
        '\u001bP1;2q',
        '\u009b31m',
        '\u001b[',
        '\u001b',
        '\r',
        '\n',
        '\t',
        '\u202e',
        '\u2066',
        '\u061c',
        '\u200f',
        '漢字',
        '👩‍👩‍👧',
        '🇩🇪',
        'e\u0301\u0301\u0301\u0301',
        '\ud800',
        '\u2028',
        '\u001b[?1049h',
      ),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))
const number = fc.oneof(fc.integer(), fc.double(), fc.nat({ max: 60 }))
const time = fc.oneof(
  fc.nat({ max: 10_000_000 }).map((ms) => START + ms),
  fc.double(),
)
const answer = fc.constantFrom<Answer>('yes', 'no', 'unknown')
const evidence: fc.Arbitrary<Evidence> = fc.record({
  check: fc.oneof(fc.constantFrom('tests', 'checklist', 'flakes'), nasty),
  answer,
  detail: nasty,
  counts: fc.dictionary(fc.constantFrom('passed', 'failed', 'skipped', 'total', 'done', 'met', 'missing'), number),
  ms: number,
  tree: nasty,
})
const evidenceSet = fc
  .array(evidence, { maxLength: 6 })
  .map((all) => Object.fromEntries(all.map((each) => [each.check, each])))

const recorded = [refusedRun, completedRun, stuckRun, phasesRun].flatMap((run) => tellRun(run).events)
const starts = recorded.filter((event) => event.type === 'started')
const decisions = recorded.filter((event) => event.type === 'decided')
const end = endOf(tellRun(completedRun))

const decided: fc.Arbitrary<LoopEvent> = fc
  .record({
    event: fc.constantFrom(...decisions),
    missing: fc.array(nasty, { maxLength: 15 }),
    reason: nasty,
    evidenceSet,
    number,
  })
  .map(({ event, missing, reason, evidenceSet, number }) => ({
    ...event,
    task: reason,
    observation: { ...event.observation, evidence: evidenceSet, signals: { ...NO_SIGNALS, vetoes: [reason] } },
    verdict: { ...event.verdict, missing, reason, measures: { confidence: number } },
    transitions: [{ from: 'closed', to: 'open', reason }],
  }))

const anyEvent: fc.Arbitrary<LoopEvent> = fc.oneof(
  fc.constantFrom(...recorded),
  decided,
  fc
    .record({ event: fc.constantFrom(...starts), text: nasty, phases: fc.array(nasty, { maxLength: 5 }), at: time })
    .map(({ event, text, phases, at }) => ({ ...event, run: text, workspace: text, weaker: [text], phases, at })),
  fc.record({ type: fc.constant('output'), text: nasty, at: fc.constant(START) }),
  fc.record({
    type: fc.constant('iteration'),
    iteration: number,
    attempt: fc.nat(9),
    task: nasty,
    phase: nasty,
    at: time,
  }),
  fc.record({ type: fc.constant('baseline'), done: fc.boolean(), evidence: evidenceSet, at: time }),
  fc.record({ type: fc.constant('waiting'), until: time, why: nasty, at: time }),
  fc.record({ type: fc.constant('waiting'), why: nasty, at: time }),
  fc.record({ type: fc.constant('interrupted'), message: nasty, now: fc.boolean(), at: time }),
  fc.record({ type: fc.constant('warning'), text: nasty, at: time }),
  fc.record({ type: fc.constant('checkpoint'), branch: nasty, commit: nasty, at: time }),
  fc.record({
    type: fc.constant('control'),
    control: fc.record({ kind: fc.constantFrom('pause', 'resume', 'skip', 'force'), by: nasty, reason: nasty }),
    at: time,
  }),
  nasty.map(
    (problem): LoopEvent => ({
      type: 'agent-ended',
      iteration: 1,
      result: { ...resultOf(NO_SIGNALS), problem, errors: [{ kind: 'api', message: problem }], leftBehind: 2 },
      at: START,
    }),
  ),
  fc
    .record({ reason: nasty, missing: fc.array(nasty, { maxLength: 20 }), preset: fc.constantFrom('gsd', 'default') })
    .map((parts): LoopEvent => ({ type: 'ended', end: { ...end, ...parts, task: parts.reason }, at: START })),
)

const look = fc.record({ color: fc.boolean(), unicode: fc.boolean() })
const size = fc.record({ columns: fc.integer({ min: 1, max: 210 }), rows: fc.integer({ min: 1, max: 70 }) })

const SGR = /\u001b\[[0-9]{1,2}m/g
const shaped = (line: string): string => line.replace(SGR, '')
/** Control characters, direction marks, joiners and lone surrogates. */
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const viewOf = (events: readonly LoopEvent[]): View => events.reduce((view, event) => follow(view, event), emptyView())

describe('for any events and any agent output', () => {
  it('a frame fits its window and has no control characters except our colors', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), size, look, time, (events, { columns, rows }, style, now) => {
        const lines = frame(viewOf(events), { columns, rows, now, ...style })
        expect(lines.length).toBeLessThanOrEqual(rows)
        expect(lines.length).toBeGreaterThan(0)
        for (const line of lines) {
          const text = shaped(line)
          const wrong = [
            OBEYED.test(text) && 'obeyed',
            textWidth(text) > columns && 'wide',
            !style.color && line !== text && 'colored',
            !style.unicode && !/^[ -~]*$/.test(text) && 'unicode',
          ]
          // A frame has many lines, and a call of `expect` takes longer than looking at one.
          if (wrong.some(Boolean)) expect({ text, wrong }).toEqual({ text, wrong: [] })
        }
      }),
      { numRuns: 400 },
    )
  })

  it('plain lines, heartbeats and banners are single lines without control characters except our colors', () => {
    fc.assert(
      fc.property(anyEvent, look, size, (event, style, { columns }) => {
        const view = viewOf([event])
        const texts = [...plainLine(event, { ...style, zone: 0 }), heartbeatLine(view, START, { ...style, zone: 0 })]
        if (event.type === 'ended')
          texts.push(...banner(event.end, view.state, { ...style, columns, exitCode: 0 }).split('\n'))
        for (const text of texts) expect(shaped(text)).not.toMatch(OBEYED)
      }),
      { numRuns: 400 },
    )
  })

  it('a JSON line is one object on one line without control characters', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const line = jsonLine(event, { output: true, exitCode: 3 }) ?? ''
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
        const read = JSON.parse(line) as { type: string; text?: string }
        expect(read.type).toBe(event.type)
        if (event.type === 'warning') expect(read.text).toBe(event.text)
      }),
      { numRuns: 300 },
    )
  })
})
