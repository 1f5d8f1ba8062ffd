import { describe, expect, it } from 'vitest'
import type { Control } from '../../src/core/run.ts'
import { runLoop } from '../../src/loop/run-loop.ts'
import type { SharedAnswer, SharedLimits } from '../../src/loop/shared-limits.ts'
import { fakeWorld, type Script } from './fake-host.ts'

const DONE = 'All done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: finished\nREMAINING_WORK: none\n'
const GO: SharedAnswer = { kind: 'go' }
const finish = { says: DONE, tests: [2, 0] } as const
const asks = (kind: Control['kind']): Control => ({ kind, by: 'the user', reason: 'because' })

/** Answers as listed, then repeats the last answer, and records its calls. */
function listed(answers: readonly SharedAnswer[]) {
  const requests: string[] = []
  const reports: string[] = []
  let next = 0
  const shared: SharedLimits = {
    async ask({ run, iteration, attempt }) {
      requests.push(`${run} ${iteration}.${attempt}`)
      return answers[Math.min(next++, answers.length - 1)] ?? GO
    },
    async report({ run, iteration, attempt }, { ms, usd }) {
      reports.push(`${run} ${iteration}.${attempt}: ${ms} ms, ${usd} dollars`)
    },
  }
  return { shared, requests, reports }
}

interface Row {
  readonly answers: readonly SharedAnswer[]
  readonly script: Omit<Script, 'shared'>
  readonly end: string
  readonly requests: readonly string[]
  readonly reports: readonly string[]
  readonly waits?: readonly number[]
}

const minute = '60000 ms'
const rows: Readonly<Record<string, Row>> = {
  'asks before each start, and reports usage after the agent and after the decision': {
    answers: [GO],
    script: { acts: [{ usd: 0.25 }, { ...finish, usd: 0.5 }] },
    end: 'completed/verified',
    requests: ['r1 1.1', 'r1 2.1'],
    reports: [
      `r1 1.1: ${minute}, 0.25 dollars`,
      'r1 1.1: 61000 ms, 0.25 dollars',
      `r1 2.1: ${minute}, 0.5 dollars`,
      'r1 2.1: 61000 ms, 0.5 dollars',
    ],
  },
  'waits until the given time, then asks for the same start again': {
    answers: [{ kind: 'waits', until: Date.UTC(2026, 0, 1, 0, 30), why: 'the limit is 3 iterations per hour' }, GO],
    script: { acts: [finish] },
    end: 'completed/verified',
    requests: ['r1 1.1', 'r1 1.1'],
    reports: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
    waits: [1_800_000],
  },
  'asks again soon after a wait without a time': {
    answers: [{ kind: 'waits', why: 'the count is unavailable' }, GO],
    script: { acts: [finish] },
    end: 'completed/verified',
    requests: ['r1 1.1', 'r1 1.1'],
    reports: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
    waits: [10_000],
  },
  'a used-up limit ends the run, with a reason that mentions the shared limit': {
    answers: [GO, { kind: 'ends', ending: 'cost', reason: '9.5 of 9 dollars were spent' }],
    script: { acts: [{}] },
    end: 'aborted/cost: 9.5 of 9 dollars were spent (shared limit of all tasks)',
    requests: ['r1 1.1', 'r1 2.1'],
    reports: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
  },
  'does not ask if the run cannot start anyway': {
    answers: [GO],
    script: { config: { limits: { iterations: 1 } }, acts: [{}] },
    end: 'aborted/iterations: 1 of 1 iteration used. The agent has not reported that it is done. 1 of 2 tests fail.',
    requests: ['r1 1.1'],
    reports: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
  },
  'asks after a pause, not before it': {
    answers: [GO],
    script: { before: [asks('pause')], acts: [finish] },
    end: 'completed/verified',
    requests: ['r1 1.1'],
    reports: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
    waits: [],
  },
  'a provider limit leads to another start of the same iteration, and its cost is reported': {
    answers: [GO],
    script: {
      acts: [{ code: 1, usd: 0.1, errors: [{ kind: 'limit', message: 'limit reached', status: 429 }] }, finish],
    },
    end: 'completed/verified',
    requests: ['r1 1.1', 'r1 1.2'],
    reports: [`r1 1.1: ${minute}, 0.1 dollars`, `r1 1.2: ${minute}, 0 dollars`, 'r1 1.2: 61000 ms, 0 dollars'],
  },
  'a decision without an agent is neither requested nor reported': {
    answers: [GO],
    script: { before: [asks('force')], acts: [] },
    end: 'completed/forced',
    requests: [],
    reports: [],
  },
}

describe('shared limits of several runs', () => {
  it.each(Object.entries(rows))('%s', async (_name, { answers, script, end, requests, reports, waits }) => {
    const limits = listed(answers)
    const world = fakeWorld({ ...script, shared: limits.shared })
    const { outcome, ending, reason } = await runLoop(world.engine, world.host, { prompt: 'do it' })
    const ended = `${outcome}/${ending}`
    expect(end.includes(':') ? `${ended}: ${reason}` : ended).toBe(end)
    expect(limits.requests).toEqual(requests)
    expect(limits.reports).toEqual(reports)
    if (waits !== undefined) expect(world.waits.filter((each) => each !== undefined)).toEqual(waits)
  })
})
