import { BASE } from '../../src/config/defaults.ts'
import type { Config } from '../../src/core/config.ts'
import { beforeOf } from '../../src/core/journal/before.ts'
import { eventInputsOf } from '../../src/core/journal/event-inputs.ts'
import type { EventInput, JournalEvent, Label, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { Answer, Evidence, Observation } from '../../src/core/types.ts'

/** One iteration in short: the claim, the test result, and other differences. */
export interface Turn {
  readonly claim?: boolean
  readonly tests?: Answer
  readonly tree?: string
  readonly phrases?: readonly string[]
  readonly evidence?: Readonly<Record<string, Partial<Evidence>>>
  readonly signals?: Partial<Observation['signals']>
}

export interface MadeRun {
  readonly turns: readonly Turn[]
  readonly label?: Label
  readonly task?: string
  readonly config?: Partial<Config>
}

const MINUTE = 60_000
export const START = Date.UTC(2026, 0, 5)

export function seen({ claim, tests = 'no', tree = '', phrases = [], evidence = {}, signals = {} }: Turn): Observation {
  const counts = tests === 'yes' ? { total: 3, passed: 3, failed: 0 } : { total: 3, passed: 2, failed: 1 }
  const asked: Record<string, Partial<Evidence>> = {
    tests: { answer: tests, detail: tests === 'yes' ? 'all pass' : 'one fails', counts },
    changed: { answer: 'yes', detail: 'Changed: a.js.', counts: { files: 1 } },
    ...evidence,
  }
  const whole = Object.entries(asked).map(([check, each]): [string, Evidence] => [
    check,
    { check, answer: 'yes', detail: '', ms: 1, tree, ...each },
  ])
  return {
    signals: {
      ...(claim === undefined ? {} : { claim }),
      claims: claim === undefined ? {} : { 'exit-status': claim },
      vetoes: [],
      said: {},
      blocks: [],
      phrases,
      text: '',
      length: 100,
      denials: [],
      source: claim === undefined ? 'none' : 'exit-status',
      problems: [],
      ...signals,
    },
    evidence: Object.fromEntries(whole),
    spent: { ms: 1000, tokens: 100, usd: 0.1 },
    interrupted: false,
  }
}

/** Consecutive runs, decided as the loop would, until the policy stops or there are no more iterations. */
export function happenings(
  runs: readonly MadeRun[],
): readonly { readonly at: number; readonly happening: EventInput }[] {
  const all: { at: number; happening: EventInput }[] = []
  let state: State = emptyState()
  let at = START
  const take = (happening: EventInput): void => {
    all.push({ at, happening })
    state = reduce(state, stamp(happening, all.length, at))
  }
  for (const [n, { turns, label, task, config = {} }] of runs.entries()) {
    const run = `r${n + 1}`
    at += MINUTE
    const whole = { ...BASE, ...config, breaker: { ...(config.breaker ?? BASE.breaker), autoReset: true } }
    take({ type: 'run.started', run, config: whole, ...(task === undefined ? {} : { task }) })
    for (const turn of turns) {
      if (state.ended !== undefined) break
      at += MINUTE
      take({ type: 'iteration.started', iteration: state.iterations + 1 })
      const observation = seen(turn)
      for (const each of eventInputsOf(
        observation,
        decideIteration(beforeOf(state), observation, policyFor(whole), at),
      ))
        take(each)
    }
    if (label !== undefined)
      take({ type: 'labelled', run, label, source: 'person', by: 'a person', reason: 'looked at it' })
  }
  return all
}

const stamp = (happening: EventInput, seq: number, at: number): JournalEvent => ({
  v: 1,
  seq,
  at,
  prev: '',
  ...happening,
})

export const events = (runs: readonly MadeRun[]): readonly JournalEvent[] =>
  happenings(runs).map(({ at, happening }, i) => stamp(happening, i + 1, at))
