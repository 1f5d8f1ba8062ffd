import { describe, expect, it } from 'vitest'
import type { Control } from '../../src/core/run.ts'
import { runLoop } from '../../src/loop/run-loop.ts'
import type { SharedAnswer, SharedLimits } from '../../src/loop/shared-limits.ts'
import { fakeWorld, type Script } from './fake-host.ts'

const DONE = 'All done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: finished\nREMAINING_WORK: none\n'
const GO: SharedAnswer = { kind: 'go' }
const finish = { says: DONE, tests: [2, 0] } as const
const asks = (kind: Control['kind']): Control => ({ kind, by: 'a person', reason: 'because' })

/** Answers as listed, then repeats the last answer, and records its calls. */
function listed(answers: readonly SharedAnswer[]) {
  const asked: string[] = []
  const told: string[] = []
  let next = 0
  const shared: SharedLimits = {
    async ask({ run, iteration, attempt }) {
      asked.push(`${run} ${iteration}.${attempt}`)
      return answers[Math.min(next++, answers.length - 1)] ?? GO
    },
    async report({ run, iteration, attempt }, { ms, usd }) {
      told.push(`${run} ${iteration}.${attempt}: ${ms} ms, ${usd} dollars`)
    },
  }
  return { shared, asked, told }
}

interface Row {
  readonly answers: readonly SharedAnswer[]
  readonly script: Omit<Script, 'shared'>
  readonly end: string
  readonly asked: readonly string[]
  readonly told: readonly string[]
  readonly waits?: readonly number[]
}

const minute = '60000 ms'
const rows: Readonly<Record<string, Row>> = {
  'each start is asked for, and told with the evidence when it is decided': {
    answers: [GO],
    script: { acts: [{ usd: 0.25 }, { ...finish, usd: 0.5 }] },
    end: 'completed/verified',
    asked: ['r1 1.1', 'r1 2.1'],
    told: [
      `r1 1.1: ${minute}, 0.25 dollars`,
      'r1 1.1: 61000 ms, 0.25 dollars',
      `r1 2.1: ${minute}, 0.5 dollars`,
      'r1 2.1: 61000 ms, 0.5 dollars',
    ],
  },
  'a wait is waited for, and the same start is asked for again': {
    answers: [{ kind: 'waits', until: Date.UTC(2026, 0, 1, 0, 30), why: 'the limit is 3 iterations per hour' }, GO],
    script: { acts: [finish] },
    end: 'completed/verified',
    asked: ['r1 1.1', 'r1 1.1'],
    told: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
    waits: [1_800_000],
  },
  'a wait without a time is asked about again soon': {
    answers: [{ kind: 'waits', why: 'the count is not to be had' }, GO],
    script: { acts: [finish] },
    end: 'completed/verified',
    asked: ['r1 1.1', 'r1 1.1'],
    told: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
    waits: [10_000],
  },
  'what all have used up ends this run, and says whose limit it was': {
    answers: [GO, { kind: 'ends', ending: 'cost', reason: '9.5 of 9 dollars were spent' }],
    script: { acts: [{}] },
    end: 'aborted/cost: 9.5 of 9 dollars were spent (shared limit of all tasks)',
    asked: ['r1 1.1', 'r1 2.1'],
    told: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
  },
  'a run that cannot start anyway asks for nothing': {
    answers: [GO],
    script: { config: { limits: { iterations: 1 } }, acts: [{}] },
    end: 'aborted/iterations: 1 of 1 iteration used',
    asked: ['r1 1.1'],
    told: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
  },
  'a run that is paused asks when it goes on': {
    answers: [GO],
    script: { before: [asks('pause')], acts: [finish] },
    end: 'completed/verified',
    asked: ['r1 1.1'],
    told: [`r1 1.1: ${minute}, 0 dollars`, 'r1 1.1: 61000 ms, 0 dollars'],
    waits: [],
  },
  "a provider's limit is another start of the same iteration, and what it cost is told": {
    answers: [GO],
    script: {
      acts: [{ code: 1, usd: 0.1, errors: [{ kind: 'limit', message: 'limit reached', status: 429 }] }, finish],
    },
    end: 'completed/verified',
    asked: ['r1 1.1', 'r1 1.2'],
    told: [`r1 1.1: ${minute}, 0.1 dollars`, `r1 1.2: ${minute}, 0 dollars`, 'r1 1.2: 61000 ms, 0 dollars'],
  },
  'a decision without an agent costs nothing': {
    answers: [GO],
    script: { before: [asks('force')], acts: [] },
    end: 'completed/forced',
    asked: [],
    told: [],
  },
}

describe('limits that runs have in common', () => {
  it.each(Object.entries(rows))('%s', async (_name, { answers, script, end, asked, told, waits }) => {
    const limits = listed(answers)
    const world = fakeWorld({ ...script, shared: limits.shared })
    const { outcome, ending, reason } = await runLoop(world.engine, world.host, { prompt: 'do it' })
    const words = `${outcome}/${ending}`
    expect(end.includes(':') ? `${words}: ${reason}` : words).toBe(end)
    expect(limits.asked).toEqual(asked)
    expect(limits.told).toEqual(told)
    if (waits !== undefined) expect(world.waits.filter((each) => each !== undefined)).toEqual(waits)
  })
})
