import type { Config } from '../core/config.ts'
import { isTree, setAt, type Tree } from './merge.ts'
import { pathBelow } from './paths.ts'

export interface Pinned {
  readonly config: Config
  /** Paths the user changed by flag or environment variable. They apply from now on. */
  readonly changed: readonly string[]
  /** Paths that changed for another reason, such as an edited file. They keep their original values. */
  readonly ignored: readonly string[]
}

/**
 * A run keeps the configuration it started with. The agent could edit the file, so edits during a run are reported and ignored.
 * Flags and environment variables come from the user, so they do count.
 */
export function pin(atStart: Config, now: Config, sources: ReadonlyMap<string, string>): Pinned {
  const before = flat(atStart)
  const after = flat(now)
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
  const byUser = (path: string) => /^(?:flag|environment) /.test(sources.get(path) ?? '')
  const changed = paths.filter(byUser)
  const config = structuredClone(atStart) as unknown as { [key: string]: unknown }
  for (const path of changed) {
    const value = after.get(path)
    // A removed value must be absent, not null: comparisons with a limit expect undefined.
    setAt(config, path, value === undefined ? undefined : JSON.parse(value))
  }
  return { config: config as unknown as Config, changed, ignored: paths.filter((path) => !byUser(path)) }
}

/** Every value that isn't an object, by dotted path, as JSON. */
function flat(config: Config): Map<string, string> {
  const values = new Map<string, string>()
  const walk = (tree: Tree, above: string): void => {
    for (const [key, value] of Object.entries(tree)) {
      const path = pathBelow(above, key)
      if (isTree(value)) walk(value, path)
      else if (value !== undefined) values.set(path, JSON.stringify(value))
    }
  }
  walk(config as unknown as Tree, '')
  return values
}
