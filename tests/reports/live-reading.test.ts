import { describe, expect, it } from 'vitest'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { frame } from '../../src/reports/live/frame.ts'
import { KEYS } from '../../src/reports/live/help.ts'
import { wrapText } from '../../src/reports/live/line.ts'
import { START_UI, type Ui } from '../../src/reports/live/ui.ts'
import { pressUi, type UiKey } from '../../src/reports/live/ui-keys.ts'
import { emptyView, follow } from '../../src/reports/live/view.ts'
import { CLAIM, SCENES, START, tellRun } from './live-scenes.ts'

const SIZES = [
  [80, 24],
  [40, 15],
  [200, 50],
] as const

/** Everything that you get to see with these keys, as one text without line breaks. */
function read(
  events: readonly LoopEvent[],
  [columns, rows]: readonly [number, number],
  keys: readonly UiKey[],
  ui: Partial<Ui> = {},
) {
  const view = events.reduce((seen, event) => follow(seen, event), emptyView())
  let now: Ui = { ...START_UI, ...ui }
  const frames = [...keys, undefined].map((key) => {
    const lines = frame(view, { columns, rows, color: false, unicode: true, now: 0, ui: now, keys: true })
    if (key !== undefined) now = pressUi(now, key, view, { columns, rows })
    return lines
  })
  return {
    last: frames.at(-1) ?? [],
    text: frames
      .flat()
      .join('')
      .replaceAll(/[│\s]+/g, ''),
  }
}

const pages = (n: number): readonly UiKey[] => Array.from({ length: n }, () => 'page-down')
const output = (text: string): LoopEvent => ({ type: 'output', text, at: 1 })
const iteration: LoopEvent = { type: 'iteration', iteration: 1, attempt: 1, at: 1 }
const solid = (text: string): string => text.replaceAll(/\s+/g, '')

describe.each(SIZES)('at %s x %s', (...size) => {
  it('the help shows every key, and what it does', () => {
    const { text } = read([], size, ['?', ...pages(3)])
    for (const [key, what] of KEYS) expect(text).toContain(solid(key + what))
    expect(text).toContain('Ctrl+C')
  })

  it('a key that does not scroll leaves the help', () => {
    expect(read([], size, ['?', 'last', 'up', 'enter']).last.join('\n')).not.toMatch(/^Keys/m)
  })

  it('a line of 5,000 characters is shown from its start to its end', () => {
    const { text } = read([iteration, output(`start${'x'.repeat(5_000)}end\n`)], size, ['first', ...pages(60)])
    expect(text).toMatch(/startx{5}/)
    expect(text).toMatch(/x{5}end/)
  })

  it('the head, the limits and the circuit breaker are in the verdict', () => {
    const { events } = SCENES.refused!()
    const { text } = read(events, size, ['right', 'right', 'right', 'enter', ...pages(40)])
    const started = events.find(({ type }) => type === 'started') as Extract<LoopEvent, { type: 'started' }>
    expect(text).toContain(solid(`${started.run} in ${started.workspace}, preset ${started.preset}`))
    expect(text).toMatch(/circuitbreaker\w+/)
    expect(text).toMatch(/minutes\d+of\d+/)
    expect(text).toContain('sandboxbubblewrap')
  })

  it('the selected iteration is in its pane, also with long reasons', () => {
    const { events } = SCENES.refused!()
    const decided = events.find(({ type }) => type === 'decided') as Extract<LoopEvent, { type: 'decided' }>
    const many = Array.from({ length: 30 }, (_, n): LoopEvent => ({ ...decided, iteration: n + 1 }))
    for (const chosen of [1, 15, 29]) {
      const { last } = read(many, size, [], { pane: 'iterations', zoom: true, iteration: chosen })
      expect(last.join('\n')).toMatch(new RegExp(`^> ${chosen} claim`, 'm'))
    }
  })
})

describe('output that is gone', () => {
  const many = Array.from({ length: 1_001 }, (_, n) => `line ${n}\n`).join('')
  it.each<[string, readonly LoopEvent[], RegExp | undefined]>([
    ['of the agent: how to read it', [iteration, output(many)], /exitgate report --transcripts 1000 --open/],
    ['because it came too fast', [iteration, output('…the end\n')], /exitgate report --transcripts 1000 --open/],
    ['is not claimed for short output', [iteration, output('one line\n')], undefined],
  ])('%s', (_, events, said) => {
    const shown = read(events, [80, 24], ['first']).last.join('\n')
    if (said === undefined) expect(shown).not.toMatch(/printed before/)
    else expect(shown).toMatch(said)
  })
})

it.each([
  ['tests', '$ npm test, run 2: 1 failing test again'],
  ['proof', '$ npm test, run 2: 1 failing test again, on a copy that exitgate changed'],
  ['build', '$ npm test, run 2: 1 failing test again, build'],
])('the output of a command for the check %s starts with what it is for', (check, title) => {
  const command: LoopEvent = {
    type: 'command',
    id: 1,
    check,
    command: 'npm test',
    run: 2,
    why: '1 failing test again',
    at: 1,
  }
  const printed: LoopEvent = { type: 'command-output', id: 1, text: 'not ok 1\n', at: 1 }
  const evidence: LoopEvent = { type: 'evidence', iteration: 1, at: 1 }
  const { last } = read([iteration, evidence, command, printed], [120, 40], [])
  expect(last.join('\n')).toContain(`│ ${title}\n│ not ok 1`)
})

describe('rows that would be empty', () => {
  const PLACE =
    'test/cart.test.js:8: test "a cart with a discount adds up, also with three items" is now skipped. Restore it.'
  const evidence = {
    tests: { answer: 'yes', detail: '4 tests pass', counts: { passed: 4, total: 4 } },
    tampering: { answer: 'no', detail: PLACE },
  }
  const { events } = tellRun({ iterations: [{ signals: CLAIM, evidence }] })
  const next: readonly LoopEvent[] = [...events, { type: 'iteration', iteration: 2, attempt: 1, at: START }]
  it.each([
    [80, 24],
    [100, 30],
    [120, 40],
  ] as const)('show the reason in full at %s x %s', (columns, rows) => {
    const { last } = read(next, [columns, rows], [])
    expect(last).toHaveLength(rows)
    // The left column of a wide window.
    const left = last.map((line) => line.slice(0, columns < 100 ? columns : columns - Math.floor(columns * 0.4) - 3))
    expect(solid(left.join(' '))).toContain(solid(`iteration 1: Claim rejected: tests weakened: ${PLACE}`))
  })

  it('belong to the output as soon as there is some', () => {
    const lines = Array.from({ length: 40 }, (_, n): LoopEvent => output(`line ${n}\n`))
    const { last } = read([...next, ...lines], [80, 24], [])
    expect(last.filter((line) => line.startsWith('│ line'))).toHaveLength(8)
  })
})

describe('words', () => {
  it.each<[text: string, columns: number, hang: number, rows: readonly string[]]>([
    ['2 tests already failed', 20, 0, ['2 tests already', 'failed']],
    ['it skips a test', 8, 0, ['it skips', 'a test']],
    ['a discount', 9, 0, ['a', 'discount']],
    ['• a discount', 10, 2, ['• a', 'discount']],
    ['see src/a/very/long/path.ts', 12, 0, ['see src/a/ve', 'ry/long/path', '.ts']],
    ['   indented words', 12, 0, ['   indented', 'words']],
    ['日本 語語語', 6, 0, ['日本', '語語語']],
  ])('%j in %s columns', (text, columns, hang, rows) => {
    expect(wrapText(text, columns, hang)).toEqual(rows)
  })
})

describe('the diff', () => {
  const diff = (n: number): LoopEvent => ({
    type: 'diff',
    iteration: n,
    file: `${n}.diff`,
    files: [{ path: `file-${n}.txt`, added: 1, removed: 0 }],
    at: n,
  })
  const begins = (n: number): LoopEvent => ({ type: 'iteration', iteration: n, attempt: 1, at: n })
  const decided = tellRun({ iterations: [{}] }).events.find(({ type }) => type === 'decided')!
  const ends = (n: number): LoopEvent => ({ ...decided, iteration: n }) as LoopEvent
  it.each<[string, readonly LoopEvent[], Partial<Ui>, title: string, first: string]>([
    ['of this iteration', [begins(1), diff(1)], {}, 'diff of iteration 1', 'file-1.txt'],
    [
      'before the first',
      [begins(1)],
      {},
      'diff of iteration 1',
      'The diff of iteration 1 is made when the checks start.',
    ],
    [
      'of the last iteration that has one',
      [begins(1), diff(1), ends(1), begins(2), diff(2), ends(2), begins(3)],
      {},
      'diff of iteration 2',
      'The diff of iteration 3 is made when the checks start.',
    ],
    [
      'of the last iteration that has one, after one that changed nothing',
      [begins(1), diff(1), ends(1), begins(2), ends(2)],
      {},
      'diff of iteration 1',
      'Iteration 2 changed no file.',
    ],
    [
      'of a chosen iteration without changes',
      [begins(1), diff(1), ends(1), begins(2), ends(2), begins(3)],
      { iteration: 2 },
      'diff of iteration 2',
      'Iteration 2 changed no file.',
    ],
  ])('%s', (_, events, ui, title, first) => {
    const { last } = read(events, [80, 24], ['d'], ui)
    const at = last.findIndex((line) => line.includes(`── ${title} `))
    expect(last[at + 1]).toContain(`│ ${first}`)
    if (first.startsWith('The diff of iteration 3')) expect(last[at + 3]).toContain('file-2.txt')
  })
})

describe('the last rows', () => {
  const foot = (ui: Partial<Ui>, ...events: readonly LoopEvent[]): string =>
    read([iteration, ...events], [100, 24], [], ui)
      .last.slice(-2)
      .map((line) => line.trim())
      .join('|')
  const message = (until: number) => ({ message: { text: 'Nothing was done.', until } })
  const paused: LoopEvent = { type: 'control', control: { kind: 'pause', by: 'you', reason: '' }, at: 2 }
  it.each<[string, string, RegExp]>([
    ['an answer and the keys', foot(message(1)), /^Nothing was done\.\|\? help {3}q detach/],
    ['only the keys when its time is over', foot(message(0)), /^\|?[^N]*\? help/],
    ['how to resume while the run is paused', foot(message(1), paused), /^Nothing was done\.\|p resume {3}\? help/],
    ['how to leave a pane that is shown alone', foot({ zoom: true }), /\|Esc back {3}\? help/],
    ['how to leave the diff', foot({ tab: 'diff' }), /\|Esc back {3}\? help/],
  ])('%s', (_, shown, expected) => {
    expect(shown).toMatch(expected)
  })
})
