import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import type { Charge } from '../../src/core/policy/breaker.ts'
import type { Breaker } from '../../src/core/types.ts'

export const START = Date.UTC(2026, 0, 5, 8)
export const MINUTE = 60_000

/** Events for a breaker: an iteration, some minutes, a new run, a reset by the user. */
export type Event = Partial<Charge> | { readonly wait: number } | 'new run' | 'reset'
/** The expected state, counts and transitions. */
export type After = readonly [state: Breaker['state'], counts: Partial<Breaker>, moves?: string]
export type Row = readonly [
  id: string,
  name: string,
  preset: PresetName,
  events: readonly (readonly [Event, After])[],
  more?: More,
]
export interface More {
  readonly config?: ConfigPatch
  readonly from?: Partial<Breaker>
}

export const no: Partial<Charge> = { progress: 'no' }
export const yes: Partial<Charge> = { progress: 'yes' }
export const unknown: Partial<Charge> = { progress: 'unknown' }
export const fails = (error?: string, size = 100): Event => ({
  progress: 'no',
  failed: true,
  size,
  ...(error ? { error } : {}),
})
export const hits = (error: string): Partial<Charge> => ({ progress: 'yes', error })
export const inPhase = (phase: string, event: Partial<Charge>): Event => ({ ...event, phase })
export const still = (n: number, phase: string, opensAt: number): readonly (readonly [Event, After])[] =>
  Array.from({ length: n }, (_, i) => {
    const count = i + 1
    const state = count >= opensAt ? 'open' : count >= 2 ? 'half-open' : 'closed'
    const moves = [count === 2 ? 'closed>half-open' : '', count === opensAt ? 'half-open>open' : ''].filter(Boolean)
    return [inPhase(phase, { progress: 'no' }), [state, { noProgress: count }, moves.join(' ')]]
  })
export const opened = {
  state: 'open',
  noProgress: 3,
  openedAt: START,
  reason: 'No progress for 3 iterations',
  opens: 1,
} as const
