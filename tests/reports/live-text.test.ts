import { describe, expect, it } from 'vitest'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { endingText } from '../../src/core/policy/ending-text.ts'
import type { RunEnd } from '../../src/core/run.ts'
import { NO_SIGNALS } from '../../src/core/signals/read-signals.ts'
import type { Ending, Outcome } from '../../src/core/types.ts'
import { banner } from '../../src/reports/live/banner.ts'
import { asciiOnly, clean } from '../../src/reports/live/clean.ts'
import { amountText, clockText, durationText } from '../../src/reports/live/duration.ts'
import { heartbeatLine, jsonLine, plainLine } from '../../src/reports/live/event-lines.ts'
import { headOf, textWidth, wrapText } from '../../src/reports/live/line.ts'
import { nextSteps } from '../../src/reports/live/next-steps.ts'
import { appendText, EMPTY_TAIL, tailLines } from '../../src/reports/live/tail.ts'
import { emptyView, follow } from '../../src/reports/live/view.ts'
import { completedRun, endOf, refusedRun, resultOf, START, tellRun } from './live-scenes.ts'

describe('text from agents is cleaned', () => {
  const rows: [raw: string, shown: string][] = [
    ['plain', 'plain'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u009b31mred', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001bP1$r0m\u001b\\x', 'x'],
    ['\u001b_payload\u001b\\x', 'x'],
    ['\u001b[?1049h\u001b[2J\u001b[Hx', 'x'],
    ['\u001bcx', 'x'],
    ['\u001b(Bx', 'x'],
    ['cut off \u001b[3', 'cut off'],
    ['\u001b', ''],
    ['a\u0000\u0007\bb', 'ab'],
    ['a\tb\r\nc\u2028d', 'a b c d'],
    ['\u202Ekcab\u202C \u2066x\u2069\u200f\u061c', 'kcab x'],
    ['zero\u200bwidth\ufeff', 'zerowidth'],
    ['👨‍👩‍👧 👍🏽 ❤️', '👨👩👧 👍 ❤'],
    ['e\u0301\u0302\u0303\u0304\u0305', 'e\u0301\u0302'],
    ['\ud800x', 'x'],
    ['\u{e0041}tag', 'tag'],
  ]
  it.each(rows)('%j', (raw, shown) => expect(clean(raw)).toBe(shown))

  it('and has a maximum length', () => expect(clean('x'.repeat(1_000_000)).length).toBe(2000))

  it('and reduced to ASCII where the locale needs that', () => expect(asciiOnly('né 漢 🎉 e\u0301')).toBe('n? ? ? e'))
})

describe('width', () => {
  const rows: [text: string, width: number][] = [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['한글', 4],
    ['ｆｕｌｌ', 8],
    ['🎉', 2],
    ['✓✗●─│█', 6],
    ['⌚', 2],
    ['🇩🇪', 2],
    ['שלום', 4],
    ['ไทย', 3],
    ['𠀀', 2],
  ]
  it.each(rows)('of %j is %i', (text, width) => expect(textWidth(text)).toBe(width))

  const heads: [text: string, columns: number, head: string][] = [
    ['abc', 2, 'ab'],
    ['漢字', 3, '漢'],
    ['e\u0301x', 1, 'e\u0301'],
    ['🎉', 1, ''],
    ['abc', 0, ''],
  ]
  it.each(heads)('%j in %i columns is %j', (text, columns, head) => expect(headOf(text, columns)).toBe(head))

  const wraps: [text: string, columns: number, rows: string[]][] = [
    ['', 5, ['']],
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 8, ['one two', 'three']],
    ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    ['漢字漢字', 5, ['漢字', '漢字']],
    ['🎉', 1, ['']],
  ]
  it.each(wraps)('%j in rows of %i', (text, columns, rows) => expect(wrapText(text, columns)).toEqual(rows))
})

describe('times and amounts', () => {
  const times: [ms: number, text: string][] = [
    [0, '0s'],
    [-5000, '0s'],
    [Number.NaN, '0s'],
    [59_999, '59s'],
    [60_000, '1m 00s'],
    [3_725_000, '1h 02m'],
    [90_000_000, '1d 01h'],
  ]
  it.each(times)('%i ms are %s', (ms, text) => expect(durationText(ms)).toBe(text))
  it.each([
    [999, '999'],
    [1500, '2k'],
    [999_499, '999k'],
    [1_250_000, '1.3M'],
  ])('%i is %s', (value, text) => expect(amountText(value)).toBe(text))
  it.each([
    [START, 0, '10:00:00'],
    [START, 120, '12:00:00'],
    [START, -330, '04:30:00'],
    [Number.NaN, 0, '--:--:--'],
  ])('%i with %i minutes is %s', (at, zone, text) => expect(clockText(at, zone)).toBe(text))
})

describe('the end of the output', () => {
  const rows: [name: string, pieces: string[], lines: string[]][] = [
    ['joins pieces', ['he', 'llo\nwor', 'ld'], ['hello', 'world']],
    ['removes a split escape sequence', ['\u001b[3', '1mred\u001b', '[0m\n'], ['red']],
    ['shows only the last state of a progress bar', ['10%\r20%', '\r30%'], ['30%']],
    ['keeps a line whose CR LF is split', ['one\r', '\ntwo\r\n'], ['one', 'two']],
    ['merges empty lines', ['a\n\n\n\nb\n'], ['a', '', 'b']],
    ['shows nothing for empty output', [''], []],
  ]
  it.each(rows)('%s', (_name, pieces, lines) => {
    expect(tailLines(pieces.reduce(appendText, EMPTY_TAIL))).toEqual(lines)
  })

  it('stays small for any amount of output', () => {
    const flood = Array.from({ length: 50 }, (_, n) => `${n} ${'x'.repeat(100)}\n`.repeat(1000)).reduce(
      appendText,
      EMPTY_TAIL,
    )
    expect(flood.lines.length).toBe(1000)
    const oneLine = Array.from({ length: 100 }, () => 'y'.repeat(10_000)).reduce(appendText, EMPTY_TAIL)
    expect(oneLine.open.length).toBe(4096)
  })
})

describe('plain lines', () => {
  const style = { color: false, unicode: true, zone: 0 }
  const rows: [event: LoopEvent, lines: string[]][] = [
    [{ type: 'output', text: 'hello\n', at: START }, []],
    [{ type: 'recorded', events: [] }, []],
    [
      { type: 'baseline', done: false, at: START },
      ['10:00:00 baseline: running the checks before the agent starts; tests that fail run again'],
    ],
    [
      { type: 'baseline', done: true, at: START },
      ['10:00:00 baseline: no checks found. `exitgate doctor` shows what is missing'],
    ],
    [
      {
        type: 'baseline',
        done: true,
        evidence: {
          tests: {
            check: 'tests',
            answer: 'no',
            detail: '',
            ms: 1,
            tree: 't',
            named: { failing: ['a', 'b'], fixed: [] },
          },
        },
        at: START,
      },
      [
        '10:00:00 baseline: ✗ tests',
        '         2 tests already fail and must pass (--accept-failing accepts them): "a" and "b"',
      ],
    ],
    [
      {
        type: 'baseline',
        done: true,
        evidence: {
          tests: { check: 'tests', answer: 'no', detail: '', ms: 1, tree: 't', named: { failing: ['a'], fixed: [] } },
        },
        at: START,
      },
      ['10:00:00 baseline: ✗ tests', '         1 test already fails and must pass (--accept-failing accepts it): "a"'],
    ],
    [
      {
        type: 'baseline',
        done: true,
        acceptsFailing: true,
        evidence: {
          tests: { check: 'tests', answer: 'no', detail: '', ms: 1, tree: 't', named: { failing: ['a'], fixed: [] } },
        },
        at: START,
      },
      ['10:00:00 baseline: ✗ tests', '         1 test already fails and may fail (--accept-failing): "a"'],
    ],
    [
      {
        type: 'preflight',
        facts: [
          { name: 'agent', state: 'good', text: 'claude 2.1.0' },
          { name: 'limits', state: 'bad', text: '$3 \u001b[2J', remedy: 'Set run.prices.' },
        ],
        at: START,
      },
      ['10:00:00 agent     claude 2.1.0', '         limits    $3', '                   Set run.prices.'],
    ],
    [
      { type: 'iteration', iteration: 2, attempt: 3, phase: 'RED', task: 'a\u001b[2Jb', at: START },
      ['10:00:00 iteration 2, start 3: the agent is working on: ab, phase RED'],
    ],
    [{ type: 'evidence', iteration: 2, at: START }, ['10:00:00 iteration 2: running the checks']],
    [
      {
        type: 'agent-ended',
        iteration: 2,
        result: { ...resultOf(NO_SIGNALS), ended: 'silence', leftBehind: 1 },
        at: START,
      },
      [
        '10:00:00 iteration 2: the agent timed out without output after 3m 12s',
        '         stopped 1 process it left running',
      ],
    ],
    [
      {
        type: 'agent-ended',
        iteration: 2,
        result: { ...resultOf(NO_SIGNALS), code: null, signal: 'SIGSEGV' },
        at: START,
      },
      ['10:00:00 iteration 2: the agent was stopped by SIGSEGV after 3m 12s'],
    ],
    [
      {
        type: 'agent-ended',
        iteration: 2,
        result: { ...resultOf(NO_SIGNALS), code: 1, problem: 'it exited with code 1' },
        at: START,
      },
      ['10:00:00 iteration 2: the agent exited with code 1 after 3m 12s'],
    ],
    [
      { type: 'waiting', until: START + 90_000, why: 'the usage limit', at: START },
      ['10:00:00 waiting 1m 30s: the usage limit'],
    ],
    [{ type: 'waiting', why: 'paused', at: START }, ['10:00:00 waiting for you: paused']],
    [{ type: 'waited', at: START }, ['10:00:00 continuing']],
    [{ type: 'interrupted', message: 'Interrupt received', now: false, at: START }, ['10:00:00 Interrupt received']],
    [
      { type: 'control', control: { kind: 'skip', by: 'alice', reason: 'too hard' }, at: START },
      ['10:00:00 task skipped by alice: too hard'],
    ],
    [
      { type: 'checkpoint', branch: 'exitgate/r', commit: '0123456789abcdef', at: START },
      ['10:00:00 committed 0123456789 to exitgate/r'],
    ],
    [{ type: 'warning', text: 'look\nout', at: START }, ['10:00:00 warning: look out']],
  ]
  it.each(rows)('%j', (event, lines) => expect(plainLine(event, style)).toEqual(lines))

  it('show a decision with what is still needed', () => {
    const event = tellRun(refusedRun).events.findLast(({ type }) => type === 'decided')!
    expect(plainLine(event, style)).toEqual([
      '10:10:12 iteration 3: Claim rejected: tests weakened: test/header.test.ts:14: a test was skipped (it.skip). Also: tests fail, plan not finished and flaky tests.',
      '         checks: ✗ tests 12/15  ✗ plan 5/7  ✗ tests weakened  ? flaky tests  ✓ files changed',
      '         still needed: tests: 2 of 14 tests fail: parses a header, keeps the order of keys',
      '         still needed: plan: 2 items of PLAN.md are open',
      '         still needed: flaky tests: The same tree gave different results: keeps the order of keys.',
    ])
  })

  it('show no changed files before the run: the agent has not started', () => {
    const check = (name: string) => ({ check: name, answer: 'yes', detail: '', ms: 1, tree: 't' }) as const
    const evidence = { tests: check('tests'), changed: check('changed'), clean: check('clean') }
    const ready: LoopEvent = { type: 'baseline', done: true, evidence, at: START }
    expect(Object.keys(follow(emptyView(), ready).before ?? {})).toEqual(['tests'])
    expect(plainLine(ready, style)).toEqual(['10:00:00 baseline: ✓ tests'])
  })

  it('are broken between words in a terminal', () => {
    const event: LoopEvent = { type: 'warning', text: 'the kettle is too hot to touch', at: START }
    expect(plainLine(event, { ...style, columns: 30 })).toEqual([
      '10:00:00 warning: the kettle',
      '         is too hot to touch',
    ])
  })

  it('show that a silent agent is still working', () => {
    const begun: LoopEvent = { type: 'iteration', iteration: 4, attempt: 1, at: START }
    const heard = follow(follow(emptyView(), begun), { type: 'output', text: '.', at: START + 30_000 })
    expect(heartbeatLine(heard, START + 125_000, style)).toBe(
      '10:02:05 iteration 4: agent working 2m 05s, no output for 1m 35s',
    )
  })
})

describe('JSON lines', () => {
  it("leave out the agent's output by default", () => {
    const event: LoopEvent = { type: 'output', text: 'x', at: START }
    expect(jsonLine(event, { output: false, exitCode: 0 })).toBeUndefined()
    expect(jsonLine(event, { output: true, exitCode: 0 })).toBe(`{"type":"output","text":"x","at":${START}}`)
  })

  it('contain the whole verdict, and the end with the exit code', () => {
    const run = tellRun(completedRun)
    const last = run.events.findLast((event) => event.type === 'decided')
    const read = JSON.parse(jsonLine(last!, { output: false, exitCode: 0 })!) as Record<string, unknown>
    expect(read.verdict).toEqual(last?.type === 'decided' && JSON.parse(JSON.stringify(last.verdict)))
    expect(read).not.toHaveProperty('state')
    const end = endOf(run)
    const ended = jsonLine({ type: 'ended', end, at: run.at }, { output: false, exitCode: 7 })!
    expect(JSON.parse(ended)).toEqual({ type: 'ended', at: run.at, exitCode: 7, end, ...end })
  })
})

describe('the banner', () => {
  const run = tellRun(completedRun)
  it.each([
    ['the file of the run', 'exitgate.config.mjs', 'or set commands.test in exitgate.config.mjs.'],
    ['the one that init writes', undefined, 'or set commands.test in exitgate.config.json.'],
    ['a part of package.json', '../package.json', 'or set exitgate.commands.test in ../package.json.'],
  ])('names the configuration file: %s', (_, configFile, said) => {
    const state = { ...run.state, ...(configFile && { configFile }) }
    expect(nextSteps({ ...endOf(run), outcome: 'aborted', ending: 'unverifiable' }, state)[0]).toContain(said)
  })

  const style = { color: false, unicode: true, columns: 80, exitCode: 9 }
  const endings: Readonly<Record<Ending, Outcome>> = {
    verified: 'completed',
    passed: 'completed',
    unproven: 'aborted',
    threshold: 'completed',
    forced: 'completed',
    breaker: 'stuck',
    'same-task': 'stuck',
    stagnation: 'stuck',
    oscillation: 'stuck',
    'hollow-claims': 'stuck',
    iterations: 'aborted',
    time: 'aborted',
    cost: 'aborted',
    tokens: 'aborted',
    unverifiable: 'aborted',
    'needs-human': 'aborted',
    'low-confidence': 'aborted',
    errors: 'aborted',
    fatal: 'aborted',
    interrupt: 'interrupted',
  }
  const words: Readonly<Record<Ending, string>> = {
    verified: 'exitgate explain',
    passed: 'Nothing shows that the task was done',
    unproven: 'exit code 9',
    threshold: '--preset default',
    forced: 'nothing is verified',
    breaker: 'Change the prompt, the task or the setup',
    'same-task': 'Split or reword the task',
    stagnation: 'Split the open items into smaller ones',
    oscillation: 'keeps undoing its own changes',
    'hollow-claims': 'Fix what is still needed',
    iterations: '--max-iterations 100',
    time: '--max-minutes 120',
    cost: '--max-cost 10',
    tokens: '--max-tokens 800000',
    unverifiable: '--test',
    'needs-human': 'Do what the agent is blocked by',
    'low-confidence': 'The agent was unsure',
    errors: 'mentions too many errors',
    fatal: 'exitgate doctor',
    interrupt: 'run --resume',
  }
  const of = (change: Partial<RunEnd>): string =>
    banner({ ...endOf(run), missing: ['the moon'], ...change }, run.state, style)
  const flat = (text: string): string => text.replace(/\s+/g, ' ')
  it.each(Object.entries(endings) as [Ending, Outcome][])(
    '%s shows how the run ended and what to do',
    (ending, outcome) => {
      const text = flat(of({ ending, outcome }))
      expect(text).toContain(`── ${endingText(ending)} ──`)
      expect(text).toContain('exit code 9')
      expect(text).toContain(words[ending])
      expect(text.includes('the moon')).toBe(ending !== 'verified')
    },
  )

  it('names --accept-failing at a limit if a test is left that failed before the run', () => {
    const named = { named: { failing: ['old > fails'], fixed: [] }, counts: { failed: 1 } }
    const tests = { check: 'tests', answer: 'no', detail: '', ms: 1, tree: '', ...named } as const
    const previous = { ...run.state.previous!, evidence: { ...run.state.previous?.evidence, tests } }
    const known: typeof run.state = { ...run.state, previous, baseline: { tests } }
    const limit = { ...endOf(run), outcome: 'aborted', ending: 'iterations' } as const
    expect(flat(banner(limit, known, style))).toContain('start it with --accept-failing')
    expect(flat(banner(limit, { ...known, baseline: {} }, style))).not.toContain('--accept-failing')
  })

  it('never shows a forced end as a plain completion', () => {
    expect(of({ ending: 'forced' })).toContain('── forced, not verified ──')
    const gsd = of({ ending: 'forced', preset: 'gsd' })
    expect(gsd).toContain('=== Ralph Exited: COMPLETED (forced) ===')
    expect(gsd).not.toContain('=== Ralph Complete')
  })

  it('starts with the lines that users of GSD know', () => {
    expect(of({ preset: 'gsd' }).split('\n').slice(0, 4)).toEqual([
      '=== Ralph Complete: COMPLETED ===',
      'Last task: Parse the header',
      'Iterations: 4',
      'Duration: 0h 13m',
    ])
  })

  it('says a killed iteration does not count', () => {
    expect(flat(of({ outcome: 'interrupted', ending: 'interrupt', killed: true }))).toContain(
      'that iteration does not count',
    )
  })
})
