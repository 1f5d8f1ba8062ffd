import type { Config, PresetName } from '../core/config.ts'

/** A number of the configuration that the past can speak about. What the gate asks for (`required`) is not among them. */
export interface Knob {
  readonly path: readonly string[]
  /** The preset that asks it; every one when absent. */
  readonly preset?: PresetName
  /** The direction in which the gate opens more easily; absent for what never opens it. */
  readonly opens?: 'lower' | 'higher'
  readonly candidates: (now: number, longest: number) => readonly number[]
}

const few = (now: number): readonly number[] => [now - 2, now - 1, now + 1, now + 2, now + 3].filter((n) => n >= 1)
const points = (now: number): readonly number[] =>
  [now - 10, now - 5, now + 5, now + 10].filter((n) => n >= 0 && n <= 100)

/** With room for a quarter more than the longest run that was completed. */
const caps = (now: number, longest: number): readonly number[] =>
  [Math.ceil(longest * 1.25), Math.ceil(now / 2), Math.ceil((now * 3) / 4)].filter((n) => n >= 1 && n < now)

const WEIGHTS = ['block', 'phaseComplete', 'changed', 'taskInDone', 'keywords', 'testsPass']

export const KNOBS: readonly Knob[] = [
  ...['hollowClaims', 'sameTask', 'oscillation', 'unverifiable'].map((key): Knob => ({ path: [key], candidates: few })),
  { path: ['breaker', 'noProgress'], candidates: few },
  { path: ['limits', 'iterations'], candidates: caps },
  { path: ['doyaken', 'threshold'], preset: 'doyaken', opens: 'lower', candidates: points },
  ...WEIGHTS.map(
    (key): Knob => ({ path: ['doyaken', 'weights', key], preset: 'doyaken', opens: 'higher', candidates: points }),
  ),
  { path: ['blackbox', 'minConfidence'], preset: 'blackbox', candidates: points },
]

type Table = Readonly<Record<string, unknown>>
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The number at a path; nothing when there is none, or it is switched off by zero. */
export function numberAt(config: Config, path: readonly string[]): number | undefined {
  let value: unknown = config
  for (const key of path) value = isTable(value) ? value[key] : undefined
  return typeof value === 'number' && value > 0 ? value : undefined
}

/** The same configuration with another number there. */
export function withNumber(config: Config, path: readonly string[], to: number): Config {
  return { ...config, ...put(config as unknown as Table, path, to) }
}

function put(table: Table, [key = '', ...below]: readonly string[], to: number): Table {
  const inside = table[key]
  return { ...table, [key]: below.length === 0 ? to : put(isTable(inside) ? inside : {}, below, to) }
}
