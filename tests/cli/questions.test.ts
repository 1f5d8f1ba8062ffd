import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AskOptions, askYesNo } from '../../src/cli/ask.ts'
import { KeyboardDouble, TerminalDouble } from './terminal-double.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function ask(options: AskOptions, { columns = 80, question = 'Write a file?', env = {} } = {}) {
  const terminal = new TerminalDouble(columns, 10)
  const stdin = new KeyboardDouble()
  const io = { stdin, stdout: terminal, stderr: terminal, env, cwd: '/', home: '/', platform: 'linux', now: Date.now }
  const asked = askYesNo(io, question, options)
  const restored = (): void => {
    expect([stdin.isRaw, stdin.flowing, stdin.eventNames()]).toEqual([false, false, []])
    expect(vi.getTimerCount()).toBe(0)
  }
  return { terminal, stdin, asked, restored }
}

describe('a yes/no question', () => {
  it.each([
    ['y', { usual: false }, true, 'Write a file? [y/N] (no in 5:00) yes'],
    ['N', { usual: true }, false, 'Write a file? [Y/n] (no in 5:00) no'],
    ['\r', { usual: true }, true, 'Write a file? [Y/n] (no in 5:00) yes'],
    ['\r', { usual: false }, false, 'Write a file? [y/N] (no in 5:00) no'],
    ['xy', { usual: false, ms: 30_000 }, true, 'Write a file? [y/N] (no in 0:30) yes'],
    ['\u0003', { usual: true }, undefined, 'Write a file? [Y/n] (no in 5:00)'],
    ['\u001b', { usual: true }, undefined, 'Write a file? [Y/n] (no in 5:00)'],
  ] as const)('%j with %j', async (typed, options, answer, shown) => {
    const { terminal, stdin, asked, restored } = ask(options)
    stdin.type(typed)
    expect(await asked).toBe(answer)
    expect(terminal.window).toBe(shown)
    restored()
  })

  it.each([
    ['no', { usual: true }, 'Write a file? [Y/n] no (no answer within 5 minutes)'],
    ['no', { usual: true, ms: 45_000 }, 'Write a file? [Y/n] no (no answer within 45 seconds)'],
  ] as const)('without an answer: %s with %j', async (_, options, shown) => {
    const { terminal, asked, restored } = ask(options)
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect(await asked).toBe(false)
    expect(terminal.window).toBe(shown)
    restored()
  })

  it.each([
    ['n', 0, undefined],
    ['n', 5_000, true],
    ['\r', 0, true],
  ])('%j, and Enter after %i ms: %s', async (first, ms, expected) => {
    // The next reader of the same keyboard: a question that Enter answers with yes.
    const { terminal, stdin, asked } = ask({ usual: false })
    stdin.type(first)
    expect(await asked).toBe(false)
    await vi.advanceTimersByTimeAsync(ms)
    const io = {
      stdin,
      stdout: terminal,
      stderr: terminal,
      env: {},
      cwd: '/',
      home: '/',
      platform: 'linux',
      now: Date.now,
    }
    const next = askYesNo(io, 'And?', { usual: true })
    let given: boolean | undefined
    void next.then((answer) => {
      given = answer
    })
    stdin.type('\r')
    await vi.advanceTimersByTimeAsync(0)
    expect(given).toBe(expected)
    if (expected === undefined) stdin.type('\r')
    expect(await next).toBe(true)
  })

  it('counts down in one line', () => {
    const { terminal, stdin } = ask({ usual: true })
    vi.advanceTimersByTime(61_000)
    expect(terminal.window).toBe('Write a file? [Y/n] (no in 3:59)')
    stdin.type('y')
  })

  it('counts down below a question that is too long for one line', () => {
    const question = 'Accept the 3 tests that already fail?'
    const { terminal, stdin } = ask({ usual: false }, { columns: 40, question })
    vi.advanceTimersByTime(2_000)
    expect(terminal.window).toBe(`${question}\n[y/N] (no in 4:58)`)
    stdin.type('y')
  })

  it('paints nothing again on a terminal that cannot', () => {
    const { terminal, stdin } = ask({ usual: true }, { env: { TERM: 'dumb' } })
    const { writes } = terminal
    vi.advanceTimersByTime(10_000)
    expect(terminal.writes).toBe(writes)
    stdin.type('n')
  })

  it('ends with the run', async () => {
    const controller = new AbortController()
    const { asked, restored } = ask({ usual: true, signal: controller.signal })
    controller.abort()
    expect(await asked).toBeUndefined()
    restored()
    expect(await ask({ usual: true, signal: controller.signal }).asked).toBeUndefined()
  })
})
