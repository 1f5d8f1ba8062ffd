import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type JsonObject, listIn, objectIn, textIn } from '../../agents/json-value.ts'
import type { Permissions } from '../../core/config.ts'
import { isInside } from '../../evidence/baseline/inside.ts'

/** The answer to one question of the agent, and whether it was a no. */
export interface Allowance {
  readonly allowed: boolean
  readonly outcome: { readonly outcome: 'cancelled' } | { readonly outcome: 'selected'; readonly optionId: string }
}

/**
 * What the user's word says about a tool the agent asks to use. Leave is given for this once, so that the next call is asked
 * about again; a question that offers no fitting answer is dropped, which agents take for a no.
 */
export function answerPermission(params: JsonObject, permissions: Permissions, workspace: string): Allowance {
  const tool = objectIn(params.toolCall)
  const allowed = permissions === 'allow-all' || (permissions === 'allow-edits' && isEditInside(tool, workspace))
  const kinds = allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  const options = listIn(params.options).map(objectIn)
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined)
  const optionId = textIn(option?.optionId)
  if (optionId === undefined) return { allowed: false, outcome: { outcome: 'cancelled' } }
  return { allowed, outcome: { outcome: 'selected', optionId } }
}

/** An edit that does not say where it is could be anywhere. */
function isEditInside(tool: JsonObject, workspace: string): boolean {
  const paths = listIn(tool.locations).map((location) => textIn(objectIn(location).path))
  if (tool.kind !== 'edit' || paths.length === 0) return false
  const real = realpathSync(workspace)
  return paths.every((path) => path !== undefined && isInside(realPath(resolve(workspace, path)), real))
}

/** Where a path leads when links are followed, for one that does not exist yet as well. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : resolve(realPath(above), path.slice(above.length).replace(/^[/\\]/, ''))
  }
}
