import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backtest } from '../../src/backtest/backtest.ts'
import type { Alternative } from '../../src/backtest/types.ts'
import type { Config, PresetName } from '../../src/core/config.ts'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { replay } from '../../src/core/journal/replay.ts'
import { PRESETS, policyFor } from '../../src/core/presets/index.ts'
import type { Spent } from '../../src/core/types.ts'
import { configFor } from '../scenarios/play.ts'
import { acts, calm, patch, scribe, write } from './journals.ts'

const numRuns = Number(process.env.EXITGATE_FUZZ_RUNS ?? 60)
const NAMES = Object.keys(PRESETS) as PresetName[]
const NOTHING = { iterations: 0, ms: 0, tokens: 0, usd: 0 }

/** The same values in another object, because nothing may depend on identity. */
const alike: Alternative = { name: 'alike', config: (config) => structuredClone(config) }
const itself: Alternative = { name: 'itself', config: (config) => config }

describe.each(NAMES)('%s', (name) => {
  it('replaying any journal gives the same verdicts and counters', () => {
    fc.assert(
      fc.property(acts(name), (done) => {
        const events = write(name, done)
        const again = [...replay(events, policyFor)]
        expect(again.map(({ difference }) => difference).filter(Boolean)).toEqual([])
        expect(again).toHaveLength(events.filter(({ type }) => type === 'iteration.decided').length)
      }),
      { numRuns },
    )
  })

  it.each([alike, itself])('a backtest of any journal with $name finds no difference', (alternative) => {
    fc.assert(
      fc.property(acts(name), (done) => {
        const events = write(name, done)
        const runs = [...backtest(events, alternative, policyFor)]
        expect(runs).toHaveLength(events.filter(({ type }) => type === 'run.started').length)
        for (const run of runs) {
          expect(run).toMatchObject({ known: true, effect: 'same', saved: NOTHING })
          expect(run.firstDifference).toBeUndefined()
          expect(run.alternative?.iteration).toBe(run.recorded?.iteration)
        }
      }),
      { numRuns },
    )
  })

  it('ends a run where it would have ended with that configuration', () => {
    fc.assert(
      fc.property(fc.array(calm, { minLength: 1, maxLength: 20 }), patch, patch, (seen, then, now) => {
        const config = configFor(name, then)
        const other = { ...configFor(name, now), run: config.run }
        const past = lived(config, seen)
        const truth = lived(other, seen)
        const [run] = backtest(past.events, { name: '', config: () => other }, policyFor)
        if (!run!.known) {
          expect(run!.effect).toMatch(/goes-on|cannot-tell/)
          return
        }
        // The other configuration saw in its own run what the recorded run saw, as far as it got.
        expect(run!.alternative).toEqual(truth.end)
        const after = seen.slice(run!.alternative?.iteration ?? seen.length, run!.iterations)
        expect(run!.saved).toEqual({ iterations: after.length, ...sum(after.map(({ spent }) => spent)) })
      }),
      { numRuns },
    )
  })
})

/** A run of `check` over these iterations, up to its first end. */
function lived(config: Config, seen: readonly Parameters<ReturnType<typeof scribe>['decide']>[0][]) {
  const to = scribe()
  to.begin(config)
  for (const each of seen) {
    to.pass(1)
    to.decide(each)
    if (to.state.ended !== undefined) break
  }
  const { last, ended } = to.state
  const events: readonly JournalEvent[] = to.events
  if (last === undefined || ended === undefined) return { events, end: undefined }
  const { iteration, verdict } = last
  const { outcome, ending, reason } = ended
  return { events, end: { iteration, outcome, ending, rule: verdict.rule, reason } }
}

const sum = (all: readonly Spent[]): Spent =>
  all.reduce((a, b) => ({ ms: a.ms + b.ms, tokens: a.tokens + b.tokens, usd: a.usd + b.usd }), {
    ms: 0,
    tokens: 0,
    usd: 0,
  })
