import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AwakeClock } from '../../src/system/awake-clock.ts'

const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A machine whose timers stop while it sleeps, but whose clock continues. */
function machine() {
  let now = 1_000
  return {
    clock: new AwakeClock(() => now),
    work(ms: number): void {
      for (let done = 0; done < ms; done += 100) {
        now += 100
        vi.advanceTimersByTime(100)
      }
    },
    sleep(ms: number): void {
      now += ms
    },
  }
}

type Step = readonly ['work' | 'sleep' | 'busy', number] | readonly ['Ctrl+Z', number]

describe('time awake', () => {
  const rows: readonly [string, readonly Step[], number][] = [
    ['only work', [['work', 90_000]], 90_000],
    [
      'an hour asleep counts as one tick',
      [
        ['work', 10_000],
        ['sleep', HOUR],
        ['work', 10_000],
      ],
      20_000,
    ],
    [
      'two nights',
      [
        ['sleep', 8 * HOUR],
        ['work', 60_000],
        ['sleep', 8 * HOUR],
      ],
      61_000,
    ],
    [
      'a busy machine is late, not asleep',
      [
        ['work', 1_000],
        ['busy', 4_000],
        ['work', 1_000],
      ],
      6_000,
    ],
    [
      'Ctrl+Z does not count, however short',
      [
        ['work', 1_000],
        ['Ctrl+Z', 3_000],
        ['work', 1_000],
      ],
      2_000,
    ],
    [
      'Ctrl+Z for an hour',
      [
        ['work', 1_000],
        ['Ctrl+Z', HOUR],
        ['work', 1_000],
      ],
      2_000,
    ],
  ]
  it.each(rows)('%s', (_name, steps, awake) => {
    const { clock, work, sleep } = machine()
    const unwatch = clock.watch()
    const started = clock.now()
    for (const [what, ms] of steps) {
      if (what === 'work') work(ms)
      else sleep(ms)
      if (what === 'Ctrl+Z') clock.woke()
    }
    expect(clock.now() - started).toBe(awake)
    unwatch()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('counts all time without regular readings', () => {
    const { clock, sleep } = machine()
    const started = clock.now()
    sleep(HOUR)
    expect(clock.now() - started).toBe(HOUR)
  })
})

describe('a limit', () => {
  it.each([
    ['is reached after that much work', [['work', 60_000]], true],
    ['is not reached earlier', [['work', 59_000]], false],
    [
      'is not reached by sleeping',
      [
        ['work', 30_000],
        ['sleep', HOUR],
        ['work', 20_000],
      ],
      false,
    ],
    [
      'is reached by work before and after sleep',
      [
        ['work', 30_000],
        ['sleep', HOUR],
        ['work', 30_000],
      ],
      true,
    ],
  ] as const)('%s', (_name, steps, reached) => {
    const computer = machine()
    const call = vi.fn()
    const stop = computer.clock.after(60_000, call)
    for (const [what, ms] of steps) computer[what](ms)
    expect(call.mock.calls.length).toBe(reached ? 1 : 0)
    stop()
    computer.work(120_000)
    expect(call.mock.calls.length).toBe(reached ? 1 : 0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('may be longer than the longest timer', () => {
    const { clock, work } = machine()
    const call = vi.fn()
    const stop = clock.after(Number.POSITIVE_INFINITY, call)
    work(5_000)
    expect(call).not.toHaveBeenCalled()
    stop()
  })
})
