import { findConfig } from '../config/find.ts'
import { loadConfig } from '../config/load.ts'
import { moduleHash } from '../config/load-module.ts'
import { valueAt } from '../config/merge.ts'
import { PRESETS } from '../core/presets/index.ts'
import { detect, preferred } from '../evidence/detect/index.ts'
import { openWorkspace } from '../evidence/workspace.ts'
import { digest } from '../system/digest.ts'
import type { Approvable } from './trust-file.ts'

/**
 * Everything in the folder that decides what is run: the configuration file and the detected commands. The environment and flags are
 * left out, because they come from the user. Our defaults are left out too, because a new release may change them.
 */
export async function approvableIn(workspace: string, platform: string): Promise<Approvable> {
  const inCode = findConfig(workspace)
  const code = inCode?.kind === 'module' ? inCode : undefined
  // Code is not run before the user approved it, so the approval is for its content.
  const skipFile = code === undefined ? {} : { foundElsewhere: { found: undefined } }
  const options = { dir: workspace, env: {}, flags: {}, presets: PRESETS, ...skipFile }
  const { config, sources, file = code?.name } = await loadConfig(options)
  const found = await detect(openWorkspace(workspace), { commands: config.commands, platform })
  const named = found.filter(({ kind }) => kind !== 'test' && config.commands[kind] !== undefined)
  const commands = [...preferred(found, 'test'), ...named].map(({ kind, command, cwd, behind }) => {
    const where = cwd === '' || cwd === '.' ? '' : ` (in ${cwd})`
    return `${kind}: ${command}${behind === undefined ? '' : ` = ${behind}`}${where}`
  })
  const { test: _test, build: _build, lint: _lint, typecheck: _typecheck, ...own } = config.commands
  const { review } = config.evidence
  const content = code === undefined ? undefined : moduleHash(code.path)
  const all = [
    ...(content === undefined ? [] : [`code: ${file} (content ${content.slice(0, 12)})`]),
    ...commands,
    ...Object.entries(own).map(([name, command]) => `${name}: ${command}`),
    ...(review === undefined ? [] : [`review: ${review}`]),
  ]
  const set = [...sources].filter(([, source]) => source !== 'default' && !source.startsWith('preset '))
  const values = set
    .map(([path]) => [path, valueAt(config, path) ?? null] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    hash: digest(JSON.stringify([1, values, all, ...(content === undefined ? [] : [content])])),
    commands: all,
    ...(file === undefined ? {} : { file }),
  }
}
