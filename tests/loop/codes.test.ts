import { describe, expect, it } from 'vitest'
import { PLAIN_LETTERS } from '../../src/core/accepting.ts'
import {
  actionText,
  CODE_MS,
  isCode,
  needsCode,
  newCode,
  openCodes,
  type PendingCode,
} from '../../src/loop/control/codes.ts'

/** A user who sees the codes, and a clock. */
function world() {
  const seen: string[] = []
  let now = 0
  let hidden = 0
  const codes = openCodes({
    now: () => now,
    show: (code) => {
      seen.push(code)
      return 'the terminal of the run'
    },
    hide: () => {
      hidden += 1
    },
  })
  const ask = (action = 'force by Ada (seen)'): PendingCode => {
    const asked = codes.ask(action)
    if (typeof asked === 'string') throw new Error(asked)
    return asked
  }
  return { seen, ask, codes, pass: (ms: number) => (now += ms), hidden: () => hidden }
}

const WRONG = '000000'

describe('a one-time code', () => {
  it.each(['force', 'accept', 'skip', 'reset-breaker', 'guidance'] as const)('is needed for %s', (kind) => {
    expect(needsCode(kind)).toBe(true)
  })
  it.each(['interrupt', 'pause', 'resume'] as const)('is not needed for %s', (kind) => {
    expect(needsCode(kind)).toBe(false)
  })

  it('has six letters and digits that do not look alike, and is another one each time', () => {
    const codes = Array.from({ length: 200 }, newCode)
    expect(new Set(codes).size).toBe(200)
    for (const code of codes) expect(code).toMatch(new RegExp(`^[${PLAIN_LETTERS}]{6}$`))
    expect(PLAIN_LETTERS).not.toMatch(/[01ILO]/)
  })

  it.each([
    ['as shown', (code: string) => code, true],
    [
      'in small letters, with a space and a dash',
      (code: string) => ` ${code.slice(0, 3)}-${code.slice(3)} `.toLowerCase(),
      true,
    ],
    ['cut', (code: string) => code.slice(0, 5), false],
    ['longer', (code: string) => `${code}A`, false],
    ['nothing', () => '', false],
  ])('%s', (_name, typed, right) => {
    const code = newCode()
    expect(isCode(typed(code), code)).toBe(right)
  })

  it('right: it counts once', () => {
    const { ask, seen, hidden } = world()
    const pending = ask()
    expect(pending.check(seen[0] ?? '')).toBe('right')
    expect(pending.check(seen[0] ?? '')).toBe('over')
    expect(hidden()).toBe(1)
  })

  it('wrong: two more tries, then none, and for a while no new code', () => {
    const { ask, codes, seen, pass } = world()
    const pending = ask()
    expect([WRONG, WRONG, WRONG].map((each) => pending.check(each))).toEqual(['wrong', 'wrong', 'over'])
    expect(pending.check(seen[0] ?? '')).toBe('over')
    expect(codes.ask('force')).toMatch(/too many wrong codes/)
    pass(CODE_MS)
    expect(typeof codes.ask('force')).toBe('object')
  })

  it('the third try may be right', () => {
    const { ask, seen } = world()
    const pending = ask()
    expect([WRONG, WRONG, seen[0] ?? ''].map((each) => pending.check(each))).toEqual(['wrong', 'wrong', 'right'])
  })

  it('expired', () => {
    const { ask, seen, pass } = world()
    const pending = ask()
    pass(CODE_MS)
    expect(pending.check(seen[0] ?? '')).toBe('over')
  })

  it('a code of another request does not count', () => {
    const { ask, seen } = world()
    ask('skip by Ada (later)').close()
    expect(ask('force by Ada (seen)').check(seen[0] ?? '')).toBe('wrong')
  })

  it('one request at a time', () => {
    const { ask, codes } = world()
    const pending = ask()
    expect(codes.ask('skip')).toMatch(/another request waits/)
    pending.close()
    expect(typeof codes.ask('skip')).toBe('object')
  })

  it('the person reads what it is for', () => {
    expect(actionText({ kind: 'accept', by: 'Ada', reason: 'the old format is gone', ids: ['K3F9A', 'M2QXC'] })).toBe(
      'accept K3F9A M2QXC by Ada (the old format is gone)',
    )
  })
})
