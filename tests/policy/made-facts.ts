import type { Evidence, Facts } from '../../src/core/types.ts'

/** Evidence by check, each a pass unless it says otherwise. */
export type Checks = Readonly<Record<string, Partial<Evidence>>>
export const evidence = (checks: Checks) =>
  Object.fromEntries(
    Object.entries(checks).map(([name, each]): [string, Evidence] => [
      name,
      { check: name, answer: 'yes', detail: '', ms: 0, tree: '', ...each },
    ]),
  )
/** Facts with only what a row needs. */
export const facts = (checks: Checks = {}, more: object = {}, signals: object = {}): Facts =>
  ({
    signals: { claims: {}, vetoes: [], said: {}, phrases: [], source: 'none', ...signals },
    evidence: evidence(checks),
    trees: [],
    streaks: {},
    ...more,
  }) as unknown as Facts
export const counted = (counts: Evidence['counts'] & {}, more: Partial<Evidence> = {}) =>
  facts({ tests: { counts, ...more } })
