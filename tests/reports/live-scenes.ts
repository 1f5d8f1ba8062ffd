import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import { beforeOf } from '../../src/core/journal/before.ts'
import { eventInputsOf } from '../../src/core/journal/event-inputs.ts'
import type { EventInput, JournalEvent, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { AgentResult, RunEnd } from '../../src/core/run.ts'
import { NO_SIGNALS } from '../../src/core/signals/read-signals.ts'
import type { Observation, Signals, Spent } from '../../src/core/types.ts'
import { readGiven } from '../../src/evidence/given/given.ts'

export const START = Date.UTC(2026, 0, 13, 10, 0, 0)

export const CLAIM: Partial<Signals> = {
  claim: true,
  claims: { 'exit-status': true },
  blocks: ['exit-status'],
  source: 'exit-status',
  length: 900,
}

interface Told {
  readonly says?: string
  readonly signals?: Partial<Signals>
  readonly evidence?: unknown
  readonly task?: string
  readonly failed?: string
  readonly forced?: Observation['forced']
  readonly spent?: Partial<Spent>
}
interface Run {
  readonly preset?: PresetName
  readonly config?: ConfigPatch
  readonly baseline?: unknown
  readonly iterations?: readonly Told[]
}

/** Simulates a run with the loop's events and the real decision engine. Returns the view's last state and its time. */
export function tellRun(run: Run): { events: LoopEvent[]; state: State; at: number } {
  const config = configure({ ...run.config, preset: run.preset ?? 'default' })
  const policy = policyFor(config)
  const events: LoopEvent[] = []
  let at = START
  let state = emptyState()
  const record = (...happenings: readonly EventInput[]): void => {
    const kept = happenings.map((each, n): JournalEvent => ({ v: 1, seq: state.seq + n + 1, at, prev: '', ...each }))
    state = kept.reduce(reduce, state)
    events.push({ type: 'recorded', events: kept })
  }
  const baseline = readGiven(run.baseline ?? {}).evidence
  const phases = policy.phases === undefined ? {} : { phases: policy.phases }
  events.push({
    type: 'started',
    run: 'r-7f3a',
    preset: config.preset,
    workspace: '/home/someone/projects/parser',
    command: ['claude', '-p'],
    resumed: false,
    iterations: 0,
    config,
    weaker: policy.weaker,
    sandbox: 'bubblewrap',
    ...phases,
    at,
  })
  events.push({ type: 'baseline', done: false, at })
  at += 12_000
  events.push({ type: 'baseline', done: true, evidence: baseline, at })
  const first = policy.phases?.[0]
  record({ type: 'run.started', run: 'r-7f3a', config, baseline, ...(first !== undefined && { phase: first }) })
  for (const [index, step] of (run.iterations ?? []).entries()) {
    const iteration = index + 1
    const task = step.task === undefined ? {} : { task: step.task }
    const phase = state.counters.phase === undefined ? {} : { phase: state.counters.phase }
    events.push({ type: 'iteration', iteration, attempt: 1, ...phase, ...task, at })
    if (step.says !== undefined) events.push({ type: 'output', text: step.says, at })
    at += 192_000
    const signals: Signals = { ...NO_SIGNALS, ...step.signals }
    events.push({ type: 'agent-ended', iteration, result: resultOf(signals, step.failed), at })
    events.push({ type: 'evidence', iteration, at })
    at += 8_000
    const observation: Observation = {
      ...task,
      signals,
      evidence: readGiven(step.evidence ?? {}).evidence,
      spent: { ms: 200_000, tokens: 21_000, usd: 0.31, ...step.spent },
      interrupted: false,
      ...(step.forced !== undefined && { forced: step.forced }),
      ...(step.failed !== undefined && { failed: { reason: step.failed } }),
    }
    const { verdict, transitions, ...rest } = decideIteration(beforeOf(state), observation, policy, at)
    record(...eventInputsOf(observation, { verdict, transitions, ...rest }))
    events.push({ type: 'decided', iteration, ...phase, ...task, verdict, observation, transitions, state, at })
  }
  return { events, state, at }
}

export function resultOf(signals: Signals, failed?: string): AgentResult {
  return {
    code: failed === undefined ? 0 : 1,
    ended: 'exit',
    ms: 192_000,
    format: 'claude',
    bytes: 4096,
    usage: { tokens: 21_000, usd: 0.31 },
    errors: [],
    finished: true,
    signals,
    stderr: '',
    problems: [],
    leftBehind: 0,
  }
}

/** The end that follows from the last decision of a run. */
export function endOf(run: { events: readonly LoopEvent[]; state: State; at: number }): RunEnd {
  const last = run.events.findLast((event) => event.type === 'decided')
  if (last?.type !== 'decided' || last.verdict.action !== 'stop') throw new Error('this run has not come to an end')
  const { outcome, ending, rule, reason, missing } = last.verdict
  return {
    outcome,
    ending,
    rule,
    reason,
    run: run.state.run ?? '',
    preset: run.state.config?.preset ?? '',
    iterations: run.state.iterations,
    startedAt: START,
    endedAt: run.at,
    total: run.state.counters.total,
    ...(last.task !== undefined && { task: last.task }),
    ...(last.phase !== undefined && { phase: last.phase }),
    missing,
    killed: false,
  }
}

const tests = (passed: number, failed: number, skipped = 0): object => ({
  tests: {
    answer: failed > 0 ? 'no' : 'yes',
    detail:
      failed > 0
        ? `${failed} of ${passed + failed} tests fail: parses a header, keeps the order of keys`
        : 'all tests pass',
    counts: { total: passed + failed + skipped, passed, failed, skipped },
  },
})
const checklist = (done: number, total: number): object => ({
  checklist: {
    answer: done < total ? 'no' : 'yes',
    detail: `${total - done} items of PLAN.md are open`,
    counts: { total, done, open: total - done },
  },
})
const changed = { changed: { answer: 'yes', detail: '4 files changed since the start' } }
const clean = { tampering: { answer: 'yes', detail: 'nothing was weakened' } }
const WORDS = [
  'I will read the parser first and then write the failing test.\n',
  '\u001b[32mEdit\u001b[0m src/parser.ts\n',
  'The header is split at the first colon; names are folded to lower case, so that a duplicate is seen whatever its case is. 中文 too 🎉\n',
  'Bash npm test\n',
]

/** Runs to draw. `moment` is the time between the last event and the frame. */
export const SCENES: Readonly<Record<string, () => { events: readonly LoopEvent[]; now: number }>> = {
  baseline: () => {
    const events = tellRun({}).events.slice(0, 2)
    return { events, now: START + 7000 }
  },
  'first-iteration': () => {
    const { events, at } = tellRun({ baseline: { ...tests(11, 3), ...checklist(2, 7) } })
    return {
      events: [
        ...events,
        { type: 'iteration', iteration: 1, attempt: 1, at },
        { type: 'output', text: WORDS.join(''), at },
      ],
      now: at + 61_000,
    }
  },
  refused: () => {
    const { events, at } = tellRun(refusedRun)
    return {
      events: [
        ...events,
        { type: 'iteration', iteration: 4, attempt: 1, task: 'Parse the header', at },
        { type: 'output', text: 'Looking at the two tests that still fail.\n', at },
      ],
      now: at + 93_000,
    }
  },
  evidence: () => {
    const { events, at } = tellRun(refusedRun)
    return { events: [...events, { type: 'evidence', iteration: 4, at }], now: at + 4000 }
  },
  limit: () => {
    const { events, at } = tellRun(refusedRun)
    const warned: LoopEvent = {
      type: 'warning',
      text: 'exitgate.config.yaml was changed during the run; the change is ignored',
      at,
    }
    return {
      events: [
        ...events,
        warned,
        { type: 'waiting', until: at + 1_830_000, why: 'the usage limit of the provider ends at 11:41', at },
      ],
      now: at + 30_000,
    }
  },
  paused: () => {
    const { events, at } = tellRun(refusedRun)
    return {
      events: [...events, { type: 'control', control: { kind: 'pause', by: 'alice', reason: 'lunch' }, at }],
      now: at + 1000,
    }
  },
  interrupted: () => {
    const { events, at } = tellRun(refusedRun)
    return {
      events: [
        ...events,
        { type: 'iteration', iteration: 4, attempt: 2, at },
        {
          type: 'interrupted',
          message:
            'Interrupt received: stopping after the agent finishes this iteration. Press Ctrl+C again to stop at once.',
          now: false,
          at: at + 1000,
        },
      ],
      now: at + 5000,
    }
  },
  phases: () => {
    const { events, at } = tellRun(phasesRun)
    return {
      events: [
        ...events,
        { type: 'iteration', iteration: 3, attempt: 1, phase: 'GREEN', at },
        { type: 'output', text: WORDS.join(''), at },
      ],
      now: at + 20_000,
    }
  },
  'breaker-open': () => {
    const run = tellRun(stuckRun)
    return { events: run.events, now: run.at }
  },
  completed: () => {
    const run = tellRun(completedRun)
    return { events: [...run.events, { type: 'ended', end: endOf(run), at: run.at }], now: run.at }
  },
  'not-trusted': () => {
    const { events, at } = tellRun({
      ...refusedRun,
      iterations: [
        {
          task: '\u202Ereversed\u202C \u001b]0;title\u0007\u001b[2Jtask',
          signals: { ...CLAIM, vetoes: ['\u009b31mred veto\r\nsecond line'] },
          evidence: { tests: { answer: 'no', detail: '\u001b[?1049h\u001b[Hcompleted/verified' } },
        },
      ],
    })
    const text =
      'ok\u001b[1A\u001b[2K\u001b]8;;http://x\u0007link\u001b]8;;\u0007\rover\n\u001b[999;999H\u0007bell\n👨‍👩‍👧 e\u0301\u0301\u0301\u0301 \u200f\u2066iso\n'
    return { events: [...events, { type: 'output', text, at }], now: at + 1000 }
  },
}

export const refusedRun: Run = {
  config: { limits: { iterations: 50, minutes: 60, usd: 5, tokens: 400_000 }, plan: 'PLAN.md' },
  baseline: { ...tests(11, 3), ...checklist(2, 7) },
  iterations: [
    {
      task: 'Parse the header',
      says: WORDS.join(''),
      signals: { length: 800 },
      evidence: { ...tests(9, 5), ...checklist(2, 7), ...changed, ...clean },
    },
    {
      task: 'Parse the header',
      says: WORDS.join(''),
      signals: { length: 800 },
      evidence: { ...tests(11, 3), ...checklist(3, 7), ...changed, ...clean },
    },
    {
      task: 'Parse the header',
      says: 'Everything works now.\n\nEXIT_STATUS: COMPLETE\n',
      signals: CLAIM,
      evidence: {
        ...tests(12, 2, 1),
        ...checklist(5, 7),
        ...changed,
        tampering: { answer: 'no', detail: 'test/header.test.ts:14: a test was skipped (it.skip)' },
        flakes: { answer: 'unknown', detail: 'The same tree gave different results: keeps the order of keys.' },
      },
    },
  ],
}

export const completedRun: Run = {
  ...refusedRun,
  iterations: [
    ...(refusedRun.iterations ?? []),
    {
      task: 'Parse the header',
      says: 'Now it is done.\n',
      signals: CLAIM,
      evidence: { ...tests(15, 0), ...checklist(7, 7), proven: true, ...changed, ...clean },
    },
  ],
}

const idle: Told = {
  task: 'Parse the header',
  signals: { length: 40, error: 'e1' },
  evidence: { ...tests(11, 3), changed: { answer: 'no', detail: 'nothing changed' } },
  failed: 'the agent exited with code 1',
}
export const stuckRun: Run = { baseline: tests(11, 3), config: { sameTask: 9 }, iterations: [idle, idle, idle] }

export const phasesRun: Run = {
  preset: 'prp',
  iterations: [
    {
      signals: { ...CLAIM, phase: 'RED', claims: { 'prp-phase-status': true }, source: 'prp-phase-status' },
      evidence: {
        tests: { answer: 'no', counts: { total: 10, passed: 0, failed: 10 } },
        criteria: { answer: 'yes', counts: { total: 5, met: 5 } },
      },
    },
    { signals: { length: 500 }, evidence: { ...tests(6, 4), ...changed } },
  ],
}
