import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextToStart, type Progress, taskStates } from '../../src/backlog/order.ts'
import type { BacklogTask } from '../../src/backlog/types.ts'

const task = (id: string, after: readonly string[] = [], priority = 0): BacklogTask => ({
  id,
  prompt: id,
  title: id,
  after,
  priority,
  limits: {},
})

const none: Progress = { ended: new Map(), running: new Set() }
const progress = (
  ended: Readonly<Record<string, 'completed' | 'failed'>>,
  ...running: readonly string[]
): Progress => ({
  ended: new Map(Object.entries(ended)),
  running: new Set(running),
})

/** Any list without cycles: tasks depend only on earlier ones, then the list is shuffled. */
const backlogs = fc
  .integer({ min: 1, max: 12 })
  .chain((n) =>
    fc.tuple(
      ...Array.from({ length: n }, (_, i) =>
        fc.tuple(fc.subarray(Array.from({ length: i }, (_, j) => `t${j}`)), fc.integer({ min: -2, max: 2 })),
      ),
    ),
  )
  .map((rows) => rows.map(([after, priority], i) => task(`t${i}`, after, priority)))
  .chain((tasks) => fc.shuffledSubarray(tasks, { minLength: tasks.length }))

describe('the order of a backlog', () => {
  const rows: readonly (readonly [string, readonly BacklogTask[], Progress, Readonly<Record<string, string>>])[] = [
    ['nothing has begun', [task('a'), task('b', ['a'])], none, { a: 'ready', b: 'waiting for a' }],
    ['one runs', [task('a'), task('b', ['a'])], progress({}, 'a'), { a: 'running', b: 'waiting for a' }],
    ['one is done', [task('a'), task('b', ['a'])], progress({ a: 'completed' }), { a: 'completed', b: 'ready' }],
    ['one failed', [task('a'), task('b', ['a'])], progress({ a: 'failed' }), { a: 'failed', b: 'blocked for a' }],
    [
      'what waits for a blocked one is blocked, and names that one',
      [task('c', ['b', 'd']), task('b', ['a']), task('a'), task('d')],
      progress({ a: 'failed', d: 'completed' }),
      { c: 'blocked for b', b: 'blocked for a', a: 'failed', d: 'completed' },
    ],
    [
      'one of two failed while the other runs',
      [task('a'), task('b'), task('c', ['a', 'b'])],
      progress({ a: 'failed' }, 'b'),
      { a: 'failed', b: 'running', c: 'blocked for a' },
    ],
  ]
  it.each(rows)('%s', (_name, tasks, at, expected) => {
    const found = [...taskStates({ tasks }, at)].map(([id, { standing, waitsFor }]) => [
      id,
      waitsFor.length === 0 ? standing : `${standing} for ${waitsFor.join(', ')}`,
    ])
    expect(Object.fromEntries(found)).toEqual(expected)
  })

  it('starts nothing before its dependencies, highest priority first, and everything ends once', () => {
    fc.assert(
      fc.property(backlogs, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), (tasks, room, dice) => {
        const ended = new Map<string, 'completed' | 'failed'>()
        const running = new Set<string>()
        const started: string[] = []
        for (;;) {
          const at = { ended, running }
          const free = room - running.size
          const next = nextToStart({ tasks }, at, free)
          expect(next.length).toBeLessThanOrEqual(free)
          const passedOver = tasks.filter(
            (each) => taskStates({ tasks }, at).get(each.id)?.standing === 'ready' && !next.includes(each),
          )
          for (const each of next) {
            expect(each.after.every((id) => ended.get(id) === 'completed')).toBe(true)
            expect(passedOver.every(({ priority }) => priority <= each.priority)).toBe(true)
            started.push(each.id)
            running.add(each.id)
          }
          // With room left, only waiting tasks are skipped.
          if (running.size < room) expect(passedOver).toEqual([])
          const all = [...running]
          const done = all[dice.next().value! % Math.max(1, all.length)]
          if (done === undefined) break
          running.delete(done)
          ended.set(done, dice.next().value! % 4 === 0 ? 'failed' : 'completed')
        }
        expect(new Set(started).size).toBe(started.length)
        for (const [id, { standing, waitsFor }] of taskStates({ tasks }, { ended, running })) {
          expect(['completed', 'failed', 'blocked']).toContain(standing)
          expect(standing === 'blocked').toBe(!started.includes(id))
          expect(standing === 'blocked' ? waitsFor.length > 0 : waitsFor.length === 0).toBe(true)
          expect(waitsFor.every((each) => ended.get(each) !== 'completed')).toBe(true)
        }
      }),
    )
  })
})
