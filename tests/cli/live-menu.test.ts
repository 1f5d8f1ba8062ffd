import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Key, openKeys } from '../../src/cli/live/keyboard.ts'
import { askMenu, canAsk } from '../../src/cli/live/menu.ts'
import type { BreakerChoice } from '../../src/core/run.ts'
import { START, stuckRun, tellRun } from '../reports/live-scenes.ts'
import { KeyboardDouble, TerminalDouble } from './terminal-double.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

const UP = '\u001b[A'
const DOWN = '\u001b[B'
const stuck = tellRun(stuckRun)

function open(preset: 'default' | 'prp' = 'default', signal?: AbortSignal) {
  const run = preset === 'prp' ? tellRun({ ...stuckRun, preset }) : stuck
  const terminal = new TerminalDouble(100, 40)
  const stdin = new KeyboardDouble()
  const io = {
    stdin,
    stdout: terminal,
    stderr: terminal,
    env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
    cwd: '/',
    home: '/',
    platform: 'linux',
    now: () => Date.now(),
  }
  const before = process.listenerCount('exit')
  const asked = askMenu(io, run.state, run.state.last?.verdict, signal)
  return {
    terminal,
    stdin,
    io,
    asked,
    settle: () => vi.advanceTimersByTime(1000),
    restored: () => {
      expect(stdin.isRaw).toBe(false)
      expect(stdin.flowing).toBe(false)
      expect(terminal.pasting).toBe(false)
      expect(stdin.eventNames()).toEqual([])
      expect(process.listenerCount('exit')).toBe(before)
      expect(vi.getTimerCount()).toBe(0)
    },
  }
}

const chosen = 'chosen at the terminal when the breaker opened'
const modify = (guidance: string): BreakerChoice => ({ kind: 'modify', reason: chosen, guidance })

describe('the menu', () => {
  const rows: [typed: readonly string[], choice: BreakerChoice][] = [
    [['r'], { kind: 'reset', reason: chosen }],
    [['S'], { kind: 'skip', reason: chosen }],
    [['a'], { kind: 'abort', reason: chosen }],
    [['c'], { kind: 'continue', reason: chosen }],
    [['\r'], { kind: 'reset', reason: chosen }],
    [[DOWN, '\r'], { kind: 'skip', reason: chosen }],
    [[UP, '\r'], { kind: 'continue', reason: chosen }],
    [[UP, DOWN, DOWN, DOWN, '\r'], { kind: 'abort', reason: chosen }],
    [['\u001b[', 'B', '\n'], { kind: 'skip', reason: chosen }],
    [['xyz1', '\u001b[5~', '\t', 'r'], { kind: 'reset', reason: chosen }],
    [['\u0003'], { kind: 'abort', reason: 'Ctrl+C in the menu' }],
    [['\u0004'], { kind: 'abort', reason: 'Ctrl+C in the menu' }],
    [['m', 'use a stack', '\r'], modify('use a stack')],
    [['m', 'a', 'b', '\u007f', 'c', '\r'], modify('ac')],
    [['m', 'wrong', '\u0015', 'right', '\r'], modify('right')],
    [['m', '漢', '\u007f', '字', '\r'], modify('字')],
    [['m', '\r', '\r', 's'], { kind: 'skip', reason: chosen }],
    [['m', '\r', 'use a stack', '\r'], modify('use a stack')],
    [['m', 'half', '\u001b', 'r'], { kind: 'reset', reason: chosen }],
    [['m', 'half', '\u0003'], { kind: 'abort', reason: 'Ctrl+C in the menu' }],
    [['m', '\u001b[200~one\ntwo\u001b[31m\u001b[201~', '\r'], modify('one two [31m')],
    [['m', 'x'.repeat(500), '\r'], modify('x'.repeat(500))],
    [['\u001b[200~abort\r\u001b[201~', 'r'], { kind: 'reset', reason: chosen }],
  ]
  it.each(rows)('%j', async (typed, choice) => {
    const menu = open()
    menu.settle()
    for (const text of typed) menu.stdin.type(text)
    expect(await menu.asked).toEqual(choice)
    menu.restored()
  })

  it('uses raw mode while it is open, and shows the reason', () => {
    const menu = open()
    expect(menu.stdin.isRaw).toBe(true)
    expect(menu.terminal.window).toBe(
      [
        'circuit breaker open after iteration 3: No progress for 3 iterations',
        '• the agent has not reported that it is done',
        '• tests: 3 of 14 tests fail: parses a header, keeps the order of keys',
        '• files changed: nothing changed',
        '',
        '> r  reset     close the circuit breaker and continue',
        '  s  skip      skip this task or phase and continue',
        '  a  abort     end the run',
        '  m  modify    give the agent guidance and continue',
        '  c  continue  try once more',
        'Press a letter, or use arrows and Enter. Ctrl+C aborts.',
        'Without an answer, the run ends in 5:00.',
      ].join('\n'),
    )
    const lines = menu.terminal.window.split('\n').length
    menu.settle()
    menu.stdin.type(DOWN)
    menu.stdin.type('m')
    menu.stdin.type('words')
    menu.stdin.type('\u001b')
    expect(menu.terminal.window.split('\n').length).toBe(lines)
    expect(menu.terminal.window).toContain('> s  skip')
    menu.stdin.type('\u0003')
  })

  it('shows the block of PRP', () => {
    const menu = open('prp')
    expect(menu.terminal.text).toMatch(/^---CIRCUIT_BREAKER_OPEN---\nPHASE: RED\n/)
    expect(menu.terminal.text).toContain('> r  reset')
    menu.stdin.type('\u0003')
  })

  it('ignores keys pressed before it opened', async () => {
    const menu = open()
    menu.stdin.type('\r\rrr')
    menu.settle()
    menu.stdin.type('a')
    expect(await menu.asked).toEqual({ kind: 'abort', reason: chosen })
  })

  it('accepts Ctrl+C at once', async () => {
    const menu = open()
    menu.stdin.type('\u0003')
    expect((await menu.asked).kind).toBe('abort')
    menu.restored()
  })

  it.each(['end', 'close', 'error'])('aborts when the terminal closes (%s)', async (event) => {
    const menu = open()
    menu.stdin.emit(event, new Error('EIO'))
    expect(await menu.asked).toEqual({ kind: 'abort', reason: 'the terminal was closed' })
    menu.restored()
  })

  it('aborts when the run is interrupted', async () => {
    const controller = new AbortController()
    const menu = open('default', controller.signal)
    controller.abort()
    expect(await menu.asked).toEqual({ kind: 'abort', reason: 'interrupted' })
    menu.restored()
    expect(await open('default', controller.signal).asked).toEqual({ kind: 'abort', reason: 'interrupted' })
  })

  const unanswered = { kind: 'abort', reason: 'no answer within 5 minutes', unanswered: true }
  it.each([
    ['no key', []],
    ['keys that mean nothing', ['x', DOWN]],
    ['guidance was begun', ['m', 'use a']],
  ])('ends the run if there is no answer: %s', async (_name, typed) => {
    const menu = open()
    menu.settle()
    vi.advanceTimersByTime(4 * 60_000)
    for (const text of typed) menu.stdin.type(text)
    let answered = false
    menu.asked.then(() => {
      answered = true
    })
    // A key starts the time again.
    await vi.advanceTimersByTimeAsync(typed.length === 0 ? 58_000 : 299_000)
    expect(answered).toBe(false)
    if (!typed.includes('m')) expect(menu.terminal.window).toContain('the run ends in 0:01.')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await menu.asked).toEqual(unanswered)
    menu.restored()
  })

  it('aborts without a terminal', async () => {
    const { io, stdin } = open()
    stdin.type('\u0003')
    const piped = { ...io, stdin: Object.assign(new KeyboardDouble(), { isTTY: false }) }
    expect(canAsk(piped)).toBe(false)
    expect(await askMenu(piped, stuck.state, undefined)).toEqual({
      kind: 'abort',
      reason: 'there is no terminal to ask in',
    })
  })

  it('restores the terminal mode if the program exits while it is open', async () => {
    const known = process.listeners('exit').length
    const menu = open()
    process.listeners('exit').slice(known)[0]?.(0)
    expect(menu.stdin.isRaw).toBe(false)
    expect(menu.terminal.pasting).toBe(false)
    menu.stdin.type('\u0003')
    await menu.asked
  })
})

describe('keys', () => {
  const char = (text: string): Key => ({ name: 'char', text })
  const rows: [pieces: readonly (string | Uint8Array)[], keys: readonly Key[]][] = [
    [['ab'], [char('a'), char('b')]],
    [['e\u0301'], [char('e\u0301')]],
    [[Buffer.from('漢').subarray(0, 1), Buffer.from('漢').subarray(1)], [char('漢')]],
    [['\u001b[', 'A'], [{ name: 'up' }]],
    [['\u001bOB'], [{ name: 'down' }]],
    [['\u001b[1;5A'], [{ name: 'up' }]],
    [['\u001b[3~x'], [char('x')]],
    [['\u001b'], [{ name: 'escape' }]],
    [['\u001b[200~a', 'b\u001b[20', '1~'], [{ name: 'paste', text: 'ab' }]],
    [['\u001b[0000000000000000000000000000000000'], []],
    [['\u0000\u0001x'], [char('x')]],
  ]
  it.each(rows)('%j', (pieces, keys) => {
    const read = openKeys()
    expect(pieces.flatMap((piece) => read(Buffer.from(piece)))).toEqual(keys)
  })
})
