import { recordedCode } from '../../config/recorded-code.ts'
import type { PolicyLookup } from '../../core/journal/replay.ts'
import { policyFor } from '../../core/presets/index.ts'

/** The policies that past runs of a workspace were decided with, as far as their code is still there. */
export async function pastPolicies(workspace: string): Promise<PolicyLookup> {
  const isLoaded = await recordedCode(workspace)
  return (config) => (isLoaded(config) ? policyFor(config) : undefined)
}
