import { describe, expect, it } from 'vitest'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { frame } from '../../src/reports/live/frame.ts'
import { KEYS } from '../../src/reports/live/help.ts'
import { START_UI, type Ui } from '../../src/reports/live/ui.ts'
import { pressUi, type UiKey } from '../../src/reports/live/ui-keys.ts'
import { emptyView, follow } from '../../src/reports/live/view.ts'
import { SCENES } from './live-scenes.ts'

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
  ['tests', '$ npm test, run 2 of 2'],
  ['proof', '$ npm test, run 2 of 2, on a copy that exitgate changed'],
  ['build', '$ npm test, run 2 of 2, build'],
])('the output of a command for the check %s starts with what it is for', (check, title) => {
  const command: LoopEvent = { type: 'command', id: 1, check, command: 'npm test', run: 2, of: 2, at: 1 }
  const printed: LoopEvent = { type: 'command-output', id: 1, text: 'not ok 1\n', at: 1 }
  const evidence: LoopEvent = { type: 'evidence', iteration: 1, at: 1 }
  const { last } = read([iteration, evidence, command, printed], [120, 40], [])
  expect(last.join('\n')).toContain(`│ ${title}\n│ not ok 1`)
})
