import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type JsonObject, listIn, objectIn, textIn } from '../../agents/json-value.ts'
import type { Permissions } from '../../core/run-config.ts'
import { isInside } from '../../evidence/baseline/inside.ts'

/** In the form of a tool rule: `execute(npm publish)`. */
export function toolOf(tool: JsonObject): string {
  const about = textIn(objectIn(tool.rawInput).command) ?? textIn(tool.title)
  const line = about?.trim().split('\n')[0]?.slice(0, 200)
  return `${textIn(tool.kind)?.slice(0, 40) ?? 'tool'}${line ? `(${line})` : ''}`
}

/** The answer to one permission request. */
interface Allowance {
  readonly allowed: boolean
  readonly outcome: { readonly outcome: 'cancelled' } | { readonly outcome: 'selected'; readonly optionId: string }
}

/**
 * Answers a permission request by the user's configuration. Permission is given for one call only, so the agent asks again for the
 * next one. A request without a fitting option is cancelled, which agents treat as a denial.
 */
export function answerPermission(
  tool: JsonObject,
  offered: unknown,
  permissions: Permissions,
  workspace: string,
): Allowance {
  const allowed = permissions === 'allow-all' || (permissions === 'allow-edits' && isEditInside(tool, workspace))
  const kinds = allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  const options = listIn(offered).map(objectIn)
  const option = kinds.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined)
  const optionId = textIn(option?.optionId)
  if (optionId === undefined) return { allowed: false, outcome: { outcome: 'cancelled' } }
  return { allowed, outcome: { outcome: 'selected', optionId } }
}

/** An edit without a location could be anywhere, so it is not allowed. */
function isEditInside(tool: JsonObject, workspace: string): boolean {
  const paths = listIn(tool.locations).map((location) => textIn(objectIn(location).path))
  if (tool.kind !== 'edit' || paths.length === 0) return false
  const real = realpathSync(workspace)
  return paths.every((path) => path !== undefined && isInside(realPath(resolve(workspace, path)), real))
}

/** The path with links resolved, also for a file that doesn't exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : resolve(realPath(above), path.slice(above.length).replace(/^[/\\]/, ''))
  }
}
