import fc from 'fast-check'
import type { Config, ConfigPatch, PresetName } from '../../src/core/config.ts'
import { beforeOf } from '../../src/core/journal/before.ts'
import { eventInputsOf } from '../../src/core/journal/event-inputs.ts'
import type { EventInput, JournalEvent, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { Observation } from '../../src/core/types.ts'
import { unmetPrecondition } from '../../src/loop/preconditions.ts'
import * as any from '../policy/arbitrary.ts'
import { lively } from '../policy/lively.ts'
import { configFor } from '../scenarios/play.ts'

const START = Date.UTC(2026, 0, 5, 8)
const MINUTE = 60_000

/** One thing that can happen to a run or that its user can do. */
export type Act =
  | { readonly kind: 'decide'; readonly observation: Observation; readonly minutes: number }
  | { readonly kind: 'iterate'; readonly observation: Observation; readonly minutes: number }
  | { readonly kind: 'new run' | 'change' | 'task'; readonly patch: ConfigPatch }
  | { readonly kind: 'reset'; readonly to?: 'half-open' }
  | { readonly kind: 'limited'; readonly usd: number }
  | { readonly kind: 'resume' | 'interrupt' | 'fatal' | 'note' }

/** Writes a journal as the program would, using only the real steps. */
export function scribe() {
  const events: JournalEvent[] = []
  let state = emptyState()
  let at = START
  let runs = 0
  const record = (...happenings: readonly EventInput[]): void => {
    for (const happening of happenings) {
      // Through JSON and back, so that everything a journal would lose is lost here too.
      const event = { v: 1, seq: state.seq + 1, at, prev: '', ...happening }
      events.push(JSON.parse(JSON.stringify(event)) as JournalEvent)
      state = reduce(state, events.at(-1)!)
    }
  }
  const begin = (config: Config): void => {
    runs += 1
    const phase = policyFor(config).phases?.[0]
    const same = JSON.stringify(config) === JSON.stringify(state.config) && state.base === undefined
    record({
      type: 'run.started',
      run: `run-${runs}`,
      ...(same ? {} : { config }),
      ...(phase === undefined ? {} : { phase }),
    })
  }
  const decide = (observation: Observation): void => {
    const decided = decideIteration(beforeOf(state), observation, policyFor(state.config!), at)
    record(...eventInputsOf(observation, decided))
  }
  return {
    events,
    begin,
    record,
    decide,
    pass(minutes: number): void {
      at += minutes * MINUTE
    },
    get state(): State {
      return state
    },
    get at(): number {
      return at
    },
  }
}

/** Applies events in any order, and skips those a loop would not do at that point. */
export function write(preset: PresetName, acts: readonly Act[]): readonly JournalEvent[] {
  const to = scribe()
  to.begin(configFor(preset, preset === 'prp' ? { prp: { qa: true } } : {}))
  for (const act of acts) play(to, preset, act)
  return to.events
}

function play(to: ReturnType<typeof scribe>, preset: PresetName, act: Act): void {
  const { state } = to
  const iteration = state.iterations + 1
  switch (act.kind) {
    case 'decide':
      to.pass(act.minutes)
      to.decide(act.observation)
      break
    case 'iterate': {
      to.pass(act.minutes)
      const unmet = unmetPrecondition(state, policyFor(state.config!), to.at)
      if (unmet?.kind === 'ends') to.record(unmet.event)
      else if (unmet?.kind === 'breaker')
        to.record({ type: 'run.ended', outcome: 'stuck', ending: 'breaker', reason: 'open', iteration: iteration - 1 })
      else if (unmet === undefined) {
        to.record({ type: 'iteration.started', iteration, attempt: 1 })
        to.decide(act.observation)
      }
      break
    }
    case 'new run':
      to.begin(configFor(preset, act.patch))
      break
    case 'change':
      to.record({ type: 'config.changed', config: configFor(preset, act.patch), paths: Object.keys(act.patch) })
      break
    case 'task':
      to.record({ type: 'task.config', task: 'a task', config: configFor(preset, act.patch) })
      break
    case 'reset':
      to.record({ type: 'breaker.reset', by: 'a person', reason: 'looked at', ...(act.to ? { to: act.to } : {}) })
      break
    case 'limited': {
      const spent = { ms: 1, tokens: 1, usd: act.usd }
      to.record(
        { type: 'iteration.started', iteration, attempt: 1 },
        { type: 'iteration.limited', iteration, attempt: 1, kind: 'limit', until: to.at, message: 'later', spent },
      )
      break
    }
    case 'resume':
      to.record({ type: 'run.resumed', iteration: state.iterations, reason: 'a person goes on' })
      break
    case 'interrupt':
      to.record({
        type: 'run.ended',
        outcome: 'interrupted',
        ending: 'interrupt',
        reason: 'Ctrl+C',
        iteration: iteration - 1,
      })
      break
    case 'fatal':
      to.record({ type: 'run.ended', outcome: 'aborted', ending: 'fatal', reason: 'no key', iteration: iteration - 1 })
      break
    case 'note':
      to.record(
        { type: 'note', text: 'seen' },
        { type: 'task.skipped', task: '1', by: 'a person', reason: 'not now' },
        { type: 'labelled', run: 'run-1', label: 'bad', source: 'person', by: 'a person', reason: 'taken back' },
      )
      break
  }
}

const smallLimit = fc.integer({ min: 1, max: 5 })

/** Settings that affect decisions but not what is observed. */
export const patch: fc.Arbitrary<ConfigPatch> = fc.record(
  {
    limits: fc.record({ iterations: fc.integer({ min: 1, max: 9 }), usd: fc.integer({ min: 1, max: 300 }) }),
    breaker: fc.record(
      {
        enabled: fc.boolean(),
        noProgress: smallLimit,
        sameError: smallLimit,
        gateBlocked: smallLimit,
        loops: fc.integer({ min: 1, max: 9 }),
        recovery: fc.constantFrom<'manual' | 'cooldown' | 'progress'>('manual', 'cooldown', 'progress'),
        autoReset: fc.boolean(),
        onOpen: fc.constantFrom<'stop' | 'wait'>('stop', 'wait'),
      },
      { requiredKeys: [] },
    ),
    hollowClaims: smallLimit,
    unverifiable: smallLimit,
    sameTask: smallLimit,
    oscillation: smallLimit,
    requireChange: fc.boolean(),
    cub: fc.record({ threshold: fc.integer({ min: 1, max: 6 }) }),
    doyaken: fc.record({ threshold: fc.constantFrom(10, 50, 70, 90) }),
    ralph: fc.record({ doneSignals: smallLimit, testOnlyLoops: smallLimit }),
    blackbox: fc.record({ minCompletion: fc.constantFrom(50, 80, 100) }),
  },
  { requiredKeys: [] },
)

export function acts(preset: PresetName): fc.Arbitrary<readonly Act[]> {
  const minutes = fc.constantFrom(1, 3, 40)
  const observation = fc.oneof(lively(preset), any.observation, calm)
  const act: fc.Arbitrary<Act> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('decide', 'iterate'), observation, minutes }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('new run', 'change', 'task'), patch }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('reset'), to: fc.constant('half-open') }, { requiredKeys: ['kind'] }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('limited'), usd: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('resume', 'interrupt', 'fatal', 'note') }) },
  )
  return fc.array(act, { minLength: 1, maxLength: 25 })
}

/** An iteration that was neither interrupted nor forced; with only these a run continues for a while. */
export const calm: fc.Arbitrary<Observation> = any.observation.map(
  ({ forced: _f, stalled: _s, phase: _p, ...rest }) => ({
    ...rest,
    interrupted: false,
    spent: { ms: 1000, tokens: 10, usd: 1 },
  }),
)
