import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { Answer, Evidence } from '../../src/core/types.ts'
import { collect } from '../../src/evidence/collect.ts'
import { deadlineFor, longestMs } from '../../src/evidence/deadlines.ts'
import type { Check, CheckContext, RunOptions } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'
import { folder } from './folders.ts'

const said = (check: string, answer: Answer, detail = ''): Evidence => ({ check, answer, detail, ms: 1, tree: 't' })
const check = (name: string, ask: Check['collect']): Check => ({ name, collect: ask })
const context = (more: Partial<CheckContext> = {}): CheckContext => ({
  workspace: fakeWorkspace({ runs: () => ({}) }),
  claim: false,
  tree: 't',
  taskTexts: [],
  deadlineMs: 60_000,
  ...more,
})
const never = () => new Promise<never>(() => {})
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => signal!.addEventListener('abort', () => resolve()))

it('the tests start when the build has ended, in any order of the checks', async () => {
  const order: string[] = []
  const noted = (name: string) =>
    check(name, async ({ workspace }) => {
      order.push(`${name} starts`)
      await workspace.run('true', { deadlineMs: 1_000 })
      order.push(`${name} ends`)
      return [said(name, 'yes')]
    })
  const { evidence } = await collect([noted('tests'), noted('build')], context())
  expect(order).toEqual(['build starts', 'build ends', 'tests starts', 'tests ends'])
  expect(Object.keys(evidence)).toEqual(['tests', 'build'])
})

describe('one check', () => {
  const rows: [name: string, ask: Check['collect'], answers: Record<string, [Answer, RegExp]>, problem?: RegExp][] = [
    ['that answers', async () => [said('a', 'yes', 'fine')], { a: ['yes', /^fine$/] }],
    ['that answers twice', async () => [said('x', 'yes'), said('y', 'no')], { x: ['yes', /^$/], y: ['no', /^$/] }],
    ['that has nothing to say', async () => [], {}],
    [
      'that rejects',
      async () => Promise.reject(new Error('no such thing')),
      { a: ['unknown', /^It failed: no such thing\.$/] },
      /^a: It failed/,
    ],
    [
      'that throws',
      () => {
        throw new Error('at once')
      },
      { a: ['unknown', /at once/] },
      /at once/,
    ],
    ['that throws no error', () => Promise.reject('a word'), { a: ['unknown', /a word/] }, /a word/],
    ['that never answers', never, { a: ['unknown', /^No answer within 1 s\.$/] }, /within 1 s/],
    [
      'that says yes too late',
      async ({ signal }) => {
        await untilAborted(signal)
        return [said('a', 'yes', 'all green')]
      },
      { a: ['unknown', /^No answer within 1 s\. all green$/] },
      /within 1 s/,
    ],
    [
      'that knows of a failure when its time is up',
      async ({ signal }) => {
        await untilAborted(signal)
        return [said('a', 'no', 'one is red'), said('b', 'unknown', 'the rest')]
      },
      { a: ['no', /^one is red$/], b: ['unknown', /No answer within 1 s\. the rest/] },
      /within 1 s/,
    ],
    [
      'that throws when its time is up',
      async ({ signal }) => {
        await untilAborted(signal)
        throw new Error('aborted')
      },
      { a: ['unknown', /No answer within/] },
      /within/,
    ],
  ]
  it.each(rows)('%s', async (_name, ask, answers, problem) => {
    const options = { deadlineOf: () => 30, patienceMs: 300 }
    const { evidence, problems } = await collect([check('a', ask)], context(), options)
    expect(Object.keys(evidence)).toEqual(Object.keys(answers))
    for (const [name, [answer, detail]] of Object.entries(answers)) {
      expect(evidence[name]).toMatchObject({ check: name, answer, tree: 't' })
      expect(evidence[name]!.detail).toMatch(detail)
    }
    expect(problems).toHaveLength(problem === undefined ? 0 : 1)
    if (problem !== undefined) expect(problems[0]).toMatch(problem)
  })

  it('gets its own deadline', async () => {
    const seen: number[] = []
    const ask = async (given: CheckContext) => {
      seen.push(given.deadlineMs)
      return []
    }
    await collect([check('a', ask), check('b', ask)], context(), { deadlineOf: ({ name }) => (name === 'a' ? 7 : 8) })
    await collect([check('a', ask)], context({ deadlineMs: 9 }))
    expect(seen).toEqual([7, 8, 9])
  })
})

describe('several checks', () => {
  it('run at the same time and are listed in their order', async () => {
    let both = () => {}
    const met = new Promise<void>((resolve) => {
      both = resolve
    })
    const first = check('first', async () => {
      await met
      return [said('first', 'yes')]
    })
    const second = check('second', async () => {
      both()
      return [said('second', 'yes')]
    })
    expect(Object.keys((await collect([first, second], context())).evidence)).toEqual(['first', 'second'])
  })

  const pairs: [Answer, Answer, Answer][] = [
    ['yes', 'no', 'no'],
    ['no', 'yes', 'no'],
    ['yes', 'unknown', 'unknown'],
    ['unknown', 'no', 'no'],
    ['yes', 'yes', 'yes'],
  ]
  it.each(pairs)('with the answers %s and %s under one name give %s', async (one, other, expected) => {
    const checks = [one, other].map((answer, n) => check(`c${n}`, async () => [said('same', answer)]))
    const { evidence, problems } = await collect(checks, context())
    expect(evidence.same!.answer).toBe(expected)
    expect(problems).toEqual(['same: two checks have this name.'])
  })

  it('share one list of files until a command runs', async () => {
    let lists = 0
    const workspace = {
      ...fakeWorkspace({ runs: () => ({}) }),
      list: async () => {
        lists += 1
        return [`file ${lists}`]
      },
    }
    const seen: (readonly string[])[] = []
    const lister = (name: string) =>
      check(name, async (given) => {
        seen.push(await given.workspace.list())
        return []
      })
    const runner = check('runner', async (given) => {
      await Promise.all([given.workspace.list(), given.workspace.list()])
      await given.workspace.run('x', { deadlineMs: 1 })
      seen.push(await given.workspace.list())
      return []
    })
    await collect([lister('a'), lister('b'), runner], context({ workspace }))
    expect(seen).toEqual([['file 1'], ['file 1'], ['file 2']])
  })

  it('run at most two commands at once', async () => {
    let running = 0
    let most = 0
    const workspace = {
      ...fakeWorkspace(),
      run: async () => {
        running += 1
        most = Math.max(most, running)
        for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
        running -= 1
        return { code: 0, ended: 'exit', output: '', cut: 0, ms: 1 } as const
      },
    }
    const checks = Array.from({ length: 6 }, (_, n) =>
      check(`c${n}`, async (given) => {
        await given.workspace.run('x', { deadlineMs: 1 })
        return [said(`c${n}`, 'yes')]
      }),
    )
    const { evidence } = await collect(checks, context({ workspace }))
    expect(most).toBe(2)
    expect(Object.values(evidence).map(({ answer }) => answer)).toEqual(Array(6).fill('yes'))
  })

  it('do not lose time while waiting', async () => {
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const ran: string[] = []
    const workspace = {
      ...fakeWorkspace(),
      run: async (command: string | readonly string[]) => {
        ran.push(String(command))
        if (command === 'long') await held
        return { code: 0, ended: 'exit', output: '', cut: 0, ms: 1 } as const
      },
    }
    const long = check('long', async (given) => {
      await given.workspace.run('long', { deadlineMs: 1 })
      return [said('long', 'yes')]
    })
    const short = check('short', async (given) => {
      await given.workspace.run('short', { deadlineMs: 1 })
      return [said('short', 'yes')]
    })
    const clock = check('clock', async () => {
      // Longer than the deadline of the check that waits.
      await new Promise((resolve) => setTimeout(resolve, 300))
      letGo()
      return []
    })
    const { evidence } = await collect([long, short, clock], context({ workspace }), {
      commandsAtOnce: 1,
      deadlineOf: ({ name }) => (name === 'short' ? 100 : 60_000),
    })
    expect(ran).toEqual(['long', 'short'])
    expect([evidence.long!.answer, evidence.short!.answer]).toEqual(['yes', 'yes'])
  })
})

describe('the deadline of a check', () => {
  const running = (ms: number, seen: number[]) => ({
    ...fakeWorkspace(),
    run: async (_command: string | readonly string[], options: RunOptions) => {
      seen.push(options.deadlineMs)
      await new Promise((resolve) => setTimeout(resolve, ms))
      return { code: 0, ended: 'exit', output: '', cut: 0, ms } as const
    },
  })

  it('applies to each of its commands', async () => {
    const seen: number[] = []
    const twice = check('a', async ({ workspace }) => {
      await workspace.run('x', { deadlineMs: 300 })
      await workspace.run('x', { deadlineMs: 100 })
      return [said('a', 'yes')]
    })
    const workspace = running(200, seen)
    const { evidence } = await collect([twice], context({ workspace }), { deadlineOf: () => 250 })
    expect(evidence.a!.answer).toBe('yes')
    expect(seen).toEqual([250, 100])
  })

  it('covers its own work apart from commands', async () => {
    const slow = check('a', async ({ workspace }) => {
      await workspace.run('x', { deadlineMs: 10 })
      await never()
      return []
    })
    const options = { deadlineOf: () => 30, patienceMs: 10 }
    expect((await collect([slow], context({ workspace: running(1, []) }), options)).evidence.a!.answer).toBe('unknown')
  })
})

describe('an interrupt', () => {
  it('ends all of them', async () => {
    const controller = new AbortController()
    const checks = ['a', 'b', 'c'].map((name) => check(name, never))
    const collecting = collect(checks, context({ signal: controller.signal }), { patienceMs: 10 })
    controller.abort()
    const { evidence } = await collecting
    expect(Object.values(evidence).map(({ answer, detail }) => [answer, detail])).toEqual(
      Array(3).fill(['unknown', 'The run was interrupted.']),
    )
  })

  it.each([1, 11, 40])('adds one listener for %i checks', async (many) => {
    const { signal } = new AbortController()
    const listeners: number[] = []
    const checks = Array.from({ length: many }, (_, at) =>
      check(`c${at}`, async () => {
        listeners.push(getEventListeners(signal, 'abort').length)
        return []
      }),
    )
    await collect(checks, context({ signal }))
    // Node warns on stderr about more than ten listeners.
    expect(listeners).toEqual(Array(many).fill(1))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends them if it came before', async () => {
    const seen: (boolean | undefined)[] = []
    const asks = check('a', async ({ signal }) => {
      seen.push(signal?.aborted)
      return [said('a', 'yes')]
    })
    const { evidence } = await collect([asks], context({ signal: AbortSignal.abort() }))
    expect(seen).toEqual([true])
    expect(evidence.a!.answer).toBe('unknown')
  })

  it('reaches commands of checks that do not pass it on', async () => {
    const controller = new AbortController()
    const careless = check('a', async ({ workspace }) => {
      setTimeout(() => controller.abort(), 100)
      const ran = await workspace.run('sleep 600', { deadlineMs: 600_000 })
      return [said('a', 'unknown', ran.ended)]
    })
    const workspace = openWorkspace(folder())
    const { evidence } = await collect([careless], context({ workspace, signal: controller.signal }))
    expect(evidence.a!.detail).toBe('The run was interrupted. aborted')
  })
})

describe('deadlines', () => {
  const rows: [history: number[], maximum: number | undefined, expected: number][] = [
    [[], undefined, 600_000],
    [[], 120_000, 120_000],
    [[10], undefined, 30_000],
    [[6_000], undefined, 30_000],
    [[20_000], undefined, 100_000],
    [[1_000, 20_000, 3_000], undefined, 100_000],
    [[500_000], undefined, 600_000],
    [[10], 5_000, 5_000],
    [[Number.NaN, -1, Number.POSITIVE_INFINITY], undefined, 600_000],
    [[0], undefined, 30_000],
  ]
  it.each(rows)('after %j and at most %s', (history, maximum, expected) => {
    expect(deadlineFor(history, maximum)).toBe(expected)
  })

  const MINUTE = 60_000
  const tests = (minutes: number, answer: Answer = 'yes') => ({
    evidence: { tests: { check: 'tests', answer, detail: '', ms: minutes * MINUTE, tree: 't' } },
  })
  const longest: [about: string, baseline: Parameters<typeof longestMs>[0] | 'taken now', minutes: number][] = [
    ['without a baseline', undefined, 10],
    ['before the first iteration', 'taken now', 60],
    ['a fast suite', tests(1), 10],
    ['a suite of 9 minutes', tests(9), 18],
    ['a failing suite of 20 minutes', tests(20, 'no'), 40],
    ['a suite that was stopped', tests(60, 'unknown'), 10],
  ]
  it.each(longest)('the longest time: %s', (_about, baseline, minutes) => {
    const [then, isBaseline] = baseline === 'taken now' ? [undefined, true] : [baseline, false]
    expect(longestMs(then, { config: BASE, isBaseline }) / MINUTE).toBe(minutes)
  })
})
