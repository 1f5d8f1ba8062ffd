import { recordedCode } from '../../config/recorded-code.ts'
import type { PolicyLookup } from '../../core/journal/replay.ts'
import { policyFor } from '../../core/presets/index.ts'

/** The policies of past runs of a workspace, unless their code has changed or is missing. */
export async function pastPolicies(workspace: string): Promise<PolicyLookup> {
  const isLoaded = await recordedCode(workspace)
  return (config) => (isLoaded(config) ? policyFor(config) : undefined)
}
