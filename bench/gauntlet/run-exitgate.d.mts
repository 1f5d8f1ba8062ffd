import type { Ground, Run, Scenario } from './types.d.mts'

export function exitgateRun(
  scenario: Scenario,
  ground: Ground,
  options: { readonly program: string; readonly preset?: string },
): Promise<Run>
