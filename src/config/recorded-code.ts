import type { Config } from '../core/config.ts'
import { ownPartsLoaded } from '../core/own-parts.ts'
import { ConfigError } from './errors.ts'
import { type Found, findConfig } from './find.ts'

/**
 * Used to replay past runs. Returns whether the code of a recorded configuration is loaded. Loads it from the project's
 * configuration file only if that file still has the recorded content; other content is never executed.
 */
export async function recordedCode(workspace: string): Promise<(config: Pick<Config, 'extensions'>) => boolean> {
  const found = moduleIn(workspace)
  if (found === undefined) return ownPartsLoaded
  const { loadModule, moduleHash } = await import('./load-module.ts')
  const hash = moduleHash(found.path)
  return (config) => {
    if (!ownPartsLoaded(config) && config.extensions === hash) ignoreConfigError(() => loadModule(found))
    return ownPartsLoaded(config)
  }
}

function moduleIn(workspace: string): Found | undefined {
  const found = ignoreConfigError(() => findConfig(workspace))
  return found?.kind === 'module' ? found : undefined
}

/** A configuration that fails to load today is not the recorded one. */
function ignoreConfigError<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}
