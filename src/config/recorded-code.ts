import type { Config } from '../core/config.ts'
import { ownPartsLoaded } from '../core/own-parts.ts'
import { ConfigError } from './errors.ts'
import { type Found, findConfig } from './find.ts'

/**
 * For runs of the past: says whether the code that a recorded configuration names is loaded, and loads it from the project's
 * configuration file when that file still has the recorded content. Other content is never run.
 */
export async function recordedCode(workspace: string): Promise<(config: Pick<Config, 'extensions'>) => boolean> {
  const found = moduleIn(workspace)
  if (found === undefined) return ownPartsLoaded
  const { loadModule, moduleHash } = await import('./load-module.ts')
  const hash = moduleHash(found.path)
  return (config) => {
    if (!ownPartsLoaded(config) && config.extensions === hash) quietly(() => loadModule(found))
    return ownPartsLoaded(config)
  }
}

function moduleIn(workspace: string): Found | undefined {
  const found = quietly(() => findConfig(workspace))
  return found?.kind === 'module' ? found : undefined
}

/** A configuration that cannot be read or loaded today is not the recorded one. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}
