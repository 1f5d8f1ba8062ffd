import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countSharedLimits } from '../../src/parallel/shared-limits.ts'

const HOUR = 3_600_000
const nothing = { ms: 0, tokens: 0, usd: 0 }
const start = (iteration: number, at = 0, attempt = 1) => ({ run: 'r', iteration, attempt, at })

describe('limits shared by tasks', () => {
  it('count a start once, however often it is requested, and separate runs with the same name', async () => {
    const count = countSharedLimits({ callsPerHour: 2 }, [])
    const [a, b] = [count.forTask('a'), count.forTask('b')]
    for (let again = 0; again < 3; again++) expect(await a.ask(start(1))).toEqual({ kind: 'go' })
    expect(await b.ask(start(1))).toEqual({ kind: 'go' })
    expect(await b.ask(start(2, 5))).toEqual({ kind: 'waits', until: HOUR, why: 'the limit is 2 iterations per hour' })
    expect(await b.ask(start(2, HOUR))).toEqual({ kind: 'go' })
  })

  const used = { ms: 90_000, tokens: 700, usd: 0.75 }
  const rows = [
    [{ usd: 1 }, 'cost', '1.5 of 1 dollars spent'],
    [{ tokens: 1000 }, 'tokens', '1400 of 1000 tokens used'],
    [{ minutes: 2 }, 'time', '3 of 2 minutes used'],
  ] as const
  it.each(rows)('%j ends all of them, including what was used before', async (limits, ending, reason) => {
    const count = countSharedLimits(limits, [{ total: used, starts: [] }])
    const task = count.forTask('a')
    expect(await task.ask(start(1))).toEqual({ kind: 'go' })
    await task.report(start(1), { ...used, ms: 1 })
    // The later report counts, not the sum of both.
    await task.report(start(1), used)
    expect(await count.forTask('b').ask(start(1))).toEqual({ kind: 'ends', ending, reason })
    expect(count.total()).toEqual({ ms: 180_000, tokens: 1400, usd: 1.5 })
  })

  it('never allow more starts per hour than the limit, in any order of tasks', async () => {
    const asks = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: HOUR / 2 })), {
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), asks, async (callsPerHour, list) => {
        const count = countSharedLimits({ callsPerHour }, [])
        const went: number[] = []
        const next = new Map<string, number>()
        let at = 0
        for (const [task, later] of list) {
          at += later
          const iteration = next.get(task) ?? 1
          const answer = await count.forTask(task).ask(start(iteration, at))
          if (answer.kind === 'go') {
            went.push(at)
            next.set(task, iteration + 1)
          } else expect(answer).toMatchObject({ kind: 'waits' })
          for (const from of went)
            expect(went.filter((each) => each >= from && each - from < HOUR).length).toBeLessThanOrEqual(callsPerHour)
        }
      }),
    )
  })

  it('allow everything if there is no limit', async () => {
    const count = countSharedLimits({}, [{ total: { ms: 1e12, tokens: 1e12, usd: 1e6 }, starts: [0, 0, 0] }])
    expect(await count.forTask('a').ask(start(1))).toEqual({ kind: 'go' })
    await count.forTask('a').report(start(1), nothing)
  })
})
