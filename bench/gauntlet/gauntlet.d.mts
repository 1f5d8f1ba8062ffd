import type { JudgedRun, Scenario, System } from './types.d.mts'

export function runGauntlet(options: {
  readonly scenarios: readonly Scenario[]
  readonly systems: readonly System[]
  readonly atOnce?: number
}): Promise<{
  readonly results: ReadonlyMap<string, readonly JudgedRun[]>
  readonly skipped: readonly { readonly scenario: string; readonly missing: string }[]
  readonly walks: readonly {
    readonly scenario: string
    readonly doneAt: number | null
    readonly standstillAt: number
  }[]
}>
