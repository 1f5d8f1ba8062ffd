import { describe, expect, it } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import type { Control } from '../../src/core/run.ts'
import { type LoopOptions, runLoop } from '../../src/loop/run-loop.ts'
import { type Act, fakeWorld, type Script } from './fake-host.ts'

const DONE = 'All done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: finished\nREMAINING_WORK: none\n'
const GREEN = [2, 0] as const
const asks = (kind: Control['kind']): Control => ({ kind, by: 'a person', reason: 'because' })
const limit = (resetAt?: number): Act => ({
  code: 1,
  errors: [
    { kind: 'limit', message: 'usage limit reached', status: 429, ...(resetAt === undefined ? {} : { resetAt }) },
  ],
})
const still: Act = { tree: 'same' }

interface Row {
  readonly script: Script
  readonly options?: Partial<LoopOptions>
  readonly end: readonly [outcome: string, ending: string]
  readonly iterations: number
  readonly starts: number
  /** Types of events that must be in the journal, in this order. */
  readonly events?: readonly EventInput['type'][]
  readonly waits?: number
}

const rows: Readonly<Record<string, Row>> = {
  'claim and proof in the same iteration end it': {
    script: { acts: [{}, { says: DONE, tests: GREEN }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    events: ['run.started', 'iteration.started', 'step.done', 'iteration.decided', 'iteration.decided', 'run.ended'],
  },
  'a claim without proof is refused, and proof without a claim too': {
    script: { acts: [{ says: DONE }, { tests: GREEN }, { says: DONE, tests: GREEN }] },
    end: ['completed', 'verified'],
    iterations: 3,
    starts: 3,
  },
  'a claim of an agent that failed does not stand': {
    script: {
      acts: [
        { says: DONE, tests: GREEN, code: 1 },
        { says: DONE, tests: GREEN },
      ],
    },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
  },
  'nor does one whose stream broke off although the agent exited with 0': {
    script: {
      acts: [
        { says: DONE, tests: GREEN, cut: true },
        { says: DONE, tests: GREEN },
      ],
    },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
  },
  'a cap of two lets two iterations run': {
    script: { config: { limits: { iterations: 2 } }, acts: [{}, {}] },
    end: ['aborted', 'iterations'],
    iterations: 2,
    starts: 2,
  },
  'money is a limit of its own': {
    script: { config: { limits: { usd: 1 } }, acts: [{ usd: 0.6 }, { usd: 0.6 }] },
    end: ['aborted', 'cost'],
    iterations: 2,
    starts: 2,
  },
  'minutes are counted': {
    script: { config: { limits: { minutes: 2 } }, acts: [{ ms: 90_000 }, { ms: 90_000 }] },
    end: ['aborted', 'time'],
    iterations: 2,
    starts: 2,
  },
  'an interrupt while the agent works lets it finish': {
    script: { acts: [{}, { asked: [asks('interrupt')] }] },
    end: ['interrupted', 'interrupt'],
    iterations: 2,
    starts: 2,
    events: ['control', 'iteration.decided', 'run.ended'],
  },
  'an interrupt beats a finished run': {
    script: { acts: [{ says: DONE, tests: GREEN, asked: [asks('interrupt')] }] },
    end: ['interrupted', 'interrupt'],
    iterations: 1,
    starts: 1,
  },
  'an interrupt before the first iteration starts nothing': {
    script: { acts: [], before: [asks('interrupt')] },
    end: ['interrupted', 'interrupt'],
    iterations: 0,
    starts: 0,
  },
  'a forced end is shown as forced': {
    script: { acts: [{ asked: [asks('force')] }] },
    end: ['completed', 'forced'],
    iterations: 1,
    starts: 1,
    events: ['control', 'iteration.decided', 'run.ended'],
  },
  'forced between two iterations': {
    script: { acts: [], before: [asks('force')] },
    end: ['completed', 'forced'],
    iterations: 1,
    starts: 0,
  },
  'forced by flag after one iteration': {
    script: { acts: [{}] },
    options: { force: { by: 'me', reason: 'good enough' } },
    end: ['completed', 'forced'],
    iterations: 1,
    starts: 1,
  },
  'a usage limit is waited for and counts as nothing': {
    script: { acts: [{}, limit(Date.UTC(2026, 0, 1, 2)), { says: DONE, tests: GREEN }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 3,
    events: ['iteration.limited', 'iteration.started', 'iteration.decided'],
    waits: 1,
  },
  'a limit that ends too late ends the run': {
    script: { acts: [limit(Date.UTC(2026, 0, 3))] },
    end: ['aborted', 'errors'],
    iterations: 0,
    starts: 1,
  },
  'a key that is not accepted ends the run': {
    script: { acts: [{ code: 1, errors: [{ kind: 'auth', message: 'invalid x-api-key', status: 401 }] }] },
    end: ['aborted', 'fatal'],
    iterations: 0,
    starts: 1,
  },
  'words about a limit are no limit': {
    script: { acts: [{ says: 'I added a test for "usage limit reached".\n' }, { says: DONE, tests: GREEN }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    waits: 0,
  },
  'calls an hour are waited for': {
    script: { config: { limits: { callsPerHour: 1 } }, acts: [{}, { says: DONE, tests: GREEN }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    waits: 1,
  },
  'no progress opens the breaker': {
    script: { acts: [still, still, still, still] },
    end: ['stuck', 'breaker'],
    iterations: 4,
    starts: 4,
    events: ['breaker.changed', 'breaker.changed', 'run.ended'],
  },
  'the cooldown of the breaker is waited for when the configuration says so': {
    script: {
      config: { breaker: { onOpen: 'wait', cooldownMinutes: 5 } },
      acts: [still, still, still, still, { says: DONE, tests: GREEN }],
    },
    end: ['completed', 'verified'],
    iterations: 5,
    starts: 5,
    waits: 1,
  },
  'the menu: reset': {
    script: {
      menu: [{ kind: 'reset', reason: 'try again' }],
      acts: [still, still, still, still, { says: DONE, tests: GREEN }],
    },
    end: ['completed', 'verified'],
    iterations: 5,
    starts: 5,
    events: ['run.ended', 'control', 'breaker.reset', 'iteration.started', 'run.ended'],
  },
  'the menu: continue is one more try': {
    script: {
      menu: [
        { kind: 'continue', reason: 'once' },
        { kind: 'abort', reason: 'enough' },
      ],
      acts: [still, still, still, still, still],
    },
    end: ['stuck', 'breaker'],
    iterations: 5,
    starts: 5,
  },
  'the menu: other guidance goes into the prompt': {
    script: {
      menu: [{ kind: 'modify', reason: 'other way', guidance: 'use the parser' }],
      acts: [still, still, still, still, { says: DONE, tests: GREEN }],
    },
    end: ['completed', 'verified'],
    iterations: 5,
    starts: 5,
    events: ['guidance', 'breaker.reset'],
  },
  'the menu: skip takes the task off the list': {
    script: {
      menu: [{ kind: 'skip', reason: 'later' }],
      tasks: [
        { id: 'a', title: 'a', done: false },
        { id: 'b', title: 'b', done: false },
      ],
      acts: [still, still, still, still, { says: DONE, tests: GREEN }],
    },
    end: ['completed', 'verified'],
    iterations: 5,
    starts: 5,
    events: ['task.skipped', 'breaker.reset'],
  },
  'the same task failing three times is stuck': {
    script: {
      config: { preset: 'gsd' },
      tasks: [{ id: 'a', title: 'a', done: false }],
      acts: [{ code: 1 }, { code: 1 }, { code: 1 }],
    },
    end: ['stuck', 'same-task'],
    iterations: 3,
    starts: 3,
  },
  'another task starts the count again': {
    script: {
      config: { preset: 'gsd', limits: { iterations: 4 } },
      tasks: [
        { id: 'a', title: 'a', done: false },
        { id: 'b', title: 'b', done: false },
      ],
      acts: [
        { code: 1 },
        {
          code: 1,
          tasks: [
            { id: 'a', title: 'a', done: true },
            { id: 'b', title: 'b', done: false },
          ],
        },
        { code: 1 },
        { code: 1 },
      ],
    },
    end: ['aborted', 'iterations'],
    iterations: 4,
    starts: 4,
  },
  'a skipped task is not chosen again': {
    script: {
      config: { limits: { iterations: 2 } },
      tasks: [
        { id: 'a', title: 'a', done: false },
        { id: 'b', title: 'b', done: false },
      ],
      acts: [{ asked: [asks('skip')] }, {}],
    },
    end: ['aborted', 'iterations'],
    iterations: 2,
    starts: 2,
    events: ['task.skipped', 'iteration.decided', 'iteration.started'],
  },
  'a pause holds before the next iteration': {
    script: { acts: [{ asked: [asks('pause')] }, { says: DONE, tests: GREEN }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    waits: 1,
  },
  'the phases of prp can be skipped by a person': {
    script: { config: { preset: 'prp', limits: { iterations: 2 } }, acts: [{ asked: [asks('skip')] }, {}] },
    end: ['aborted', 'iterations'],
    iterations: 2,
    starts: 2,
    events: ['phase.changed', 'iteration.started'],
  },
}

describe('the loop', () => {
  it.each(Object.entries(rows))('%s', async (_name, { script, options, end, iterations, starts, events, waits }) => {
    const world = fakeWorld(script)
    const ended = await runLoop(world.engine, world.host, { prompt: 'Do it.', ...options })
    expect([ended.outcome, ended.ending]).toEqual(end)
    expect(ended.iterations).toBe(iterations)
    expect(world.started()).toBe(starts)
    if (waits !== undefined) expect(world.waits).toHaveLength(waits)
    const types = world.events.map(({ type }) => type)
    for (const type of events ?? []) {
      expect(types).toContain(type)
      types.splice(0, types.indexOf(type) + 1)
    }
  })

  it('tells the agent after a refused claim what is missing, and of tokens nothing', async () => {
    const world = fakeWorld({ acts: [{ says: DONE }, { says: DONE, tests: GREEN }] })
    await runLoop(world.engine, world.host, { prompt: 'Do it.' })
    expect(world.prompts[0]).not.toContain('Not done yet')
    expect(world.prompts[1]).toContain('- tests: 1 failed')
    expect(world.prompts[1]).not.toMatch(/EXIT_STATUS:\s*COMPLETE/)
  })

  it('takes up an iteration whose agent had ended, without starting it again', async () => {
    const first = fakeWorld({ acts: [{}, { says: DONE, tests: GREEN }] })
    await runLoop(first.engine, first.host, { prompt: 'Do it.' })
    // The process died after the agent of the second iteration had ended and before it was judged.
    const kept = first.events.slice(0, first.events.findLastIndex(({ type }) => type === 'step.done') + 1)
    const { reduce, emptyState } = await import('../../src/core/journal/reduce.ts')
    const again = fakeWorld({ acts: [], state: kept.reduce(reduce, emptyState()) })
    const host = {
      ...again.host,
      gatherEvidence: async () => ({
        evidence: (await first.host.gatherEvidence({ claim: true, skipped: [] }, AbortSignal.any([]))).evidence,
        problems: [],
        ms: 1,
      }),
    }
    const end = await runLoop(again.engine, host, { prompt: 'Do it.' })
    expect([end.ending, end.iterations, again.started()]).toEqual(['verified', 2, 0])
  })

  it('starts an iteration again whose agent died with the process', async () => {
    const first = fakeWorld({ acts: [{}, { says: DONE, tests: GREEN }] })
    await runLoop(first.engine, first.host, { prompt: 'Do it.' })
    const kept = first.events.slice(0, first.events.findLastIndex(({ type }) => type === 'iteration.started') + 1)
    const { reduce, emptyState } = await import('../../src/core/journal/reduce.ts')
    const again = fakeWorld({ acts: [{ says: DONE, tests: GREEN }], state: kept.reduce(reduce, emptyState()) })
    const end = await runLoop(again.engine, again.host, { prompt: 'Do it.' })
    expect([end.ending, end.iterations, again.started()]).toEqual(['verified', 2, 1])
    expect(again.state().attempt).toEqual({ iteration: 2, n: 2 })
  })
})
