import { describe, expect, it } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import type { Control } from '../../src/core/run.ts'
import { type LoopOptions, runLoop } from '../../src/loop/run-loop.ts'
import { type Act, fakeWorld, type Script } from './fake-host.ts'

const DONE = 'All done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: finished\nREMAINING_WORK: none\n'
const PASSING = [2, 0] as const
const asks = (kind: Control['kind']): Control => ({ kind, by: 'the user', reason: 'because' })
const limit = (resetAt?: number): Act => ({
  code: 1,
  errors: [
    { kind: 'limit', message: 'usage limit reached', status: 429, ...(resetAt === undefined ? {} : { resetAt }) },
  ],
})
/** The agent works, then the provider cuts its stream. */
const cutAfterWork: Act = { code: 1, errors: [{ kind: 'api', message: 'stream disconnected' }], tokens: 900 }
const cutWithoutResult: Act = { ...cutAfterWork, tree: 'same', unchanged: true }
const unchanged: Act = { tree: 'same' }

interface Row {
  readonly script: Script
  readonly options?: Partial<LoopOptions>
  readonly end: readonly [outcome: string, ending: string]
  readonly iterations: number
  readonly starts: number
  /** Event types that must be in the journal, in this order. */
  readonly events?: readonly EventInput['type'][]
  readonly waits?: number
}

const rows: Readonly<Record<string, Row>> = {
  'claim and proof in the same iteration complete the run': {
    script: { acts: [{}, { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    events: ['run.started', 'iteration.started', 'step.done', 'iteration.decided', 'iteration.decided', 'run.ended'],
  },
  'a claim without proof does not complete the run, nor does proof without a claim': {
    script: { acts: [{ says: DONE }, { tests: PASSING }, { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 3,
    starts: 3,
  },
  'a claim of a failed agent does not count': {
    script: {
      acts: [
        { says: DONE, tests: PASSING, code: 1 },
        { says: DONE, tests: PASSING },
      ],
    },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
  },
  'a claim does not count if the stream broke off, even with exit code 0': {
    script: {
      acts: [
        { says: DONE, tests: PASSING, cut: true },
        { says: DONE, tests: PASSING },
      ],
    },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
  },
  'a limit of two allows two iterations': {
    script: { config: { limits: { iterations: 2 } }, acts: [{}, {}] },
    end: ['aborted', 'iterations'],
    iterations: 2,
    starts: 2,
  },
  'the cost limit ends the run': {
    script: { config: { limits: { usd: 1 } }, acts: [{ usd: 0.6 }, { usd: 0.6 }] },
    end: ['aborted', 'cost'],
    iterations: 2,
    starts: 2,
  },
  'the time limit ends the run': {
    script: { config: { limits: { minutes: 2 } }, acts: [{ ms: 90_000 }, { ms: 90_000 }] },
    end: ['aborted', 'time'],
    iterations: 2,
    starts: 2,
  },
  'an interrupt while the agent works lets it finish': {
    script: { acts: [{}, { controls: [asks('interrupt')] }] },
    end: ['interrupted', 'interrupt'],
    iterations: 2,
    starts: 2,
    events: ['control', 'iteration.decided', 'run.ended'],
  },
  'an interrupt takes precedence over completion': {
    script: { acts: [{ says: DONE, tests: PASSING, controls: [asks('interrupt')] }] },
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
  'a forced end is recorded as forced': {
    script: { acts: [{ controls: [asks('force')] }] },
    end: ['completed', 'forced'],
    iterations: 1,
    starts: 1,
    events: ['control', 'iteration.decided', 'run.ended'],
  },
  'a forced end between two iterations': {
    script: { acts: [], before: [asks('force')] },
    end: ['completed', 'forced'],
    iterations: 1,
    starts: 0,
  },
  'a forced end by flag, after one iteration': {
    script: { acts: [{}] },
    options: { force: { by: 'me', reason: 'good enough' } },
    end: ['completed', 'forced'],
    iterations: 1,
    starts: 1,
  },
  'waits for a usage limit, which is not an iteration': {
    script: { acts: [{}, limit(Date.UTC(2026, 0, 1, 2)), { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 3,
    events: ['iteration.limited', 'iteration.started', 'iteration.decided'],
    waits: 1,
  },
  'a usage limit that lasts too long ends the run': {
    script: { acts: [limit(Date.UTC(2026, 0, 3))] },
    end: ['aborted', 'errors'],
    iterations: 0,
    starts: 1,
  },
  'a stream that is cut once after work is not an iteration': {
    script: { acts: [cutAfterWork, { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 1,
    starts: 2,
    waits: 1,
  },
  'the sixth start in a row that is cut after work is an iteration, and the run continues': {
    script: { acts: [...Array(6).fill(cutAfterWork), { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 7,
    waits: 5,
  },
  'starts that are cut after work without a result end the run': {
    script: { acts: Array(18).fill(cutWithoutResult) },
    end: ['aborted', 'errors'],
    iterations: 3,
    starts: 18,
    waits: 15,
  },
  'the waits between starts that are cut after work add up to the longest wait': {
    script: { config: { run: { maxWaitMinutes: 1 } }, acts: Array(4).fill(cutAfterWork) },
    end: ['aborted', 'errors'],
    iterations: 0,
    starts: 4,
    waits: 3,
  },
  'a usage limit after every piece of work does not restart one iteration forever': {
    script: { acts: [...Array(6).fill({ ...limit(), tokens: 900 }), { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 7,
    waits: 5,
  },
  'a provider that fails for hours and then cuts the stream after work: the work counts as an iteration': {
    script: {
      acts: [...Array(20).fill({ ...cutAfterWork, tokens: 0 }), cutAfterWork, { says: DONE, tests: PASSING }],
    },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 22,
    waits: 20,
  },
  'a rejected API key ends the run': {
    script: { acts: [{ code: 1, errors: [{ kind: 'auth', message: 'invalid x-api-key', status: 401 }] }] },
    end: ['aborted', 'fatal'],
    iterations: 0,
    starts: 1,
  },
  'text about a limit is not a limit': {
    script: { acts: [{ says: 'I added a test for "usage limit reached".\n' }, { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    waits: 0,
  },
  'waits if the calls per hour are used up': {
    script: { config: { limits: { callsPerHour: 1 } }, acts: [{}, { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    waits: 1,
  },
  'no progress opens the breaker': {
    script: { acts: [unchanged, unchanged, unchanged, unchanged] },
    end: ['stuck', 'breaker'],
    iterations: 4,
    starts: 4,
    events: ['breaker.changed', 'breaker.changed', 'run.ended'],
  },
  'waits for the cooldown of the breaker if configured': {
    script: {
      config: { breaker: { onOpen: 'wait', cooldownMinutes: 5 } },
      acts: [unchanged, unchanged, unchanged, unchanged, { says: DONE, tests: PASSING }],
    },
    end: ['completed', 'verified'],
    iterations: 5,
    starts: 5,
    waits: 1,
  },
  'the menu: reset': {
    script: {
      menu: [{ kind: 'reset', reason: 'try again' }],
      acts: [unchanged, unchanged, unchanged, unchanged, { says: DONE, tests: PASSING }],
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
      acts: [unchanged, unchanged, unchanged, unchanged, unchanged],
    },
    end: ['stuck', 'breaker'],
    iterations: 5,
    starts: 5,
  },
  'the menu: new guidance goes into the prompt': {
    script: {
      menu: [{ kind: 'modify', reason: 'other way', guidance: 'use the parser' }],
      acts: [unchanged, unchanged, unchanged, unchanged, { says: DONE, tests: PASSING }],
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
      acts: [unchanged, unchanged, unchanged, unchanged, { says: DONE, tests: PASSING }],
    },
    end: ['completed', 'verified'],
    iterations: 5,
    starts: 5,
    events: ['task.skipped', 'breaker.reset'],
  },
  'a task that fails three times ends the run as stuck': {
    script: {
      config: { preset: 'gsd' },
      tasks: [{ id: 'a', title: 'a', done: false }],
      acts: [{ code: 1 }, { code: 1 }, { code: 1 }],
    },
    end: ['stuck', 'same-task'],
    iterations: 3,
    starts: 3,
  },
  'another task resets the count': {
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
      acts: [{ controls: [asks('skip')] }, {}],
    },
    end: ['aborted', 'iterations'],
    iterations: 2,
    starts: 2,
    events: ['task.skipped', 'iteration.decided', 'iteration.started'],
  },
  'a pause takes effect before the next iteration': {
    script: { acts: [{ controls: [asks('pause')] }, { says: DONE, tests: PASSING }] },
    end: ['completed', 'verified'],
    iterations: 2,
    starts: 2,
    waits: 1,
  },
  'the user can skip a phase of prp': {
    script: { config: { preset: 'prp', limits: { iterations: 2 } }, acts: [{ controls: [asks('skip')] }, {}] },
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

  it('tells the agent what is missing after a rejected claim, without completion tokens', async () => {
    const world = fakeWorld({ acts: [{ says: DONE }, { says: DONE, tests: PASSING }] })
    await runLoop(world.engine, world.host, { prompt: 'Do it.' })
    expect(world.prompts[0]).not.toContain('Not done yet')
    expect(world.prompts[1]).toContain('- tests: 1 failed')
    expect(world.prompts[1]).not.toMatch(/EXIT_STATUS:\s*COMPLETE/)
  })

  it('resumes an iteration whose agent had ended, without starting the agent again', async () => {
    const first = fakeWorld({ acts: [{}, { says: DONE, tests: PASSING }] })
    await runLoop(first.engine, first.host, { prompt: 'Do it.' })
    // The process died after the second agent ended, before the decision.
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

  it('restarts an iteration whose agent died with the process', async () => {
    const first = fakeWorld({ acts: [{}, { says: DONE, tests: PASSING }] })
    await runLoop(first.engine, first.host, { prompt: 'Do it.' })
    const kept = first.events.slice(0, first.events.findLastIndex(({ type }) => type === 'iteration.started') + 1)
    const { reduce, emptyState } = await import('../../src/core/journal/reduce.ts')
    const again = fakeWorld({ acts: [{ says: DONE, tests: PASSING }], state: kept.reduce(reduce, emptyState()) })
    const end = await runLoop(again.engine, again.host, { prompt: 'Do it.' })
    expect([end.ending, end.iterations, again.started()]).toEqual(['verified', 2, 1])
    expect(again.state().attempt).toEqual({ iteration: 2, n: 2 })
  })
})
