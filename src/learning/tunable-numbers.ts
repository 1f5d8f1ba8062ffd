import type { Config, PresetName } from '../core/config.ts'

/** A number of the configuration that recorded runs can inform. What completion requires (`required`) is not among them. */
export interface TunableNumber {
  readonly path: readonly string[]
  /** The preset that uses it; all if absent. */
  readonly preset?: PresetName
  /** The direction that makes completion easier; absent if it never affects completion. */
  readonly easierWhen?: 'lower' | 'higher'
  readonly candidates: (now: number, longest: number) => readonly number[]
}

const few = (now: number): readonly number[] => [now - 2, now - 1, now + 1, now + 2, now + 3].filter((n) => n >= 1)
const points = (now: number): readonly number[] =>
  [now - 10, now - 5, now + 5, now + 10].filter((n) => n >= 0 && n <= 100)

/** A quarter more than the longest completed run. */
const caps = (now: number, longest: number): readonly number[] =>
  [Math.ceil(longest * 1.25), Math.ceil(now / 2), Math.ceil((now * 3) / 4)].filter((n) => n >= 1 && n < now)

const WEIGHTS = ['block', 'phaseComplete', 'changed', 'taskInDone', 'keywords', 'testsPass']

export const TUNABLE_NUMBERS: readonly TunableNumber[] = [
  ...['hollowClaims', 'sameTask', 'oscillation', 'unverifiable'].map(
    (key): TunableNumber => ({ path: [key], candidates: few }),
  ),
  { path: ['breaker', 'noProgress'], candidates: few },
  { path: ['limits', 'iterations'], candidates: caps },
  { path: ['doyaken', 'threshold'], preset: 'doyaken', easierWhen: 'lower', candidates: points },
  ...WEIGHTS.map(
    (key): TunableNumber => ({
      path: ['doyaken', 'weights', key],
      preset: 'doyaken',
      easierWhen: 'higher',
      candidates: points,
    }),
  ),
  { path: ['blackbox', 'minConfidence'], preset: 'blackbox', candidates: points },
]

type Table = Readonly<Record<string, unknown>>
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The number at a path; undefined if there is none or zero disables it. */
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
