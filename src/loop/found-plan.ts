import { listOf } from '../../packages/core/src/count.ts'
import type { Loaded } from '../config/load.ts'
import { policyFor } from '../core/presets/index.ts'
import { findPlan, type PlanSearch } from '../evidence/plan/find.ts'
import { openWorkspace } from '../evidence/workspace.ts'

/** The source of a plan that exitgate found itself. */
const FOUND = 'found in the workspace'

/**
 * The configuration with the plan of this folder, unless you chose one or turned it off. Only for a new run: a resumed one keeps its plan.
 * So a plan that the agent writes changes nothing. `onlyNamed` is for single decisions, which may be about less than the plan.
 */
export function withFoundPlan(
  loaded: Loaded,
  workspace: string,
  texts: readonly string[],
  { onlyNamed = false } = {},
): { readonly loaded: Loaded; readonly search?: PlanSearch } {
  const { config, sources } = loaded
  const { required } = policyFor(config).checks.plan
  if (!required || config.plan !== undefined || sources.get('plan') !== 'default') return { loaded }
  const search = findPlan(openWorkspace(workspace), texts, { optionalSections: config.optionalSections, onlyNamed })
  if (search.kind !== 'found') return { loaded, search }
  const found = { ...config, plan: search.path }
  return { loaded: { ...loaded, config: found, sources: new Map([...sources, ['plan', FOUND]]) }, search }
}

/** What was found, in a sentence; undefined if there is nothing to say. */
export function searchText(search: PlanSearch | undefined): string | undefined {
  if (search?.kind === 'found') {
    const why = search.why === 'named' ? 'the prompt names it' : 'it is the only plan here'
    return `Using the plan ${search.path}: ${why}. Every item in it must be done. --no-plan turns it off.`
  }
  if (search?.kind !== 'several') return undefined
  return `No plan is used: ${listOf(search.paths)} have open items. Choose one with --plan FILE, or pass --no-plan.`
}
