import type { Scenario } from '../types.d.mts'

export const scenarios: readonly Scenario[]
