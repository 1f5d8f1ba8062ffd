import type { Config } from '../core/config.ts'
import { isTree, setAt, type Tree } from './merge.ts'

export interface Pinned {
  readonly config: Config
  /** Paths that the person running it changed by flag or environment: they apply from now on. */
  readonly changed: readonly string[]
  /** Paths that differ for any other reason, such as an edited file: they are left as they were at the start. */
  readonly ignored: readonly string[]
}

/**
 * A run keeps the configuration it started with: the agent can write the file, so an edit of it during the run is reported and ignored.
 * Flags and environment come from the person who runs it and count.
 */
export function pin(atStart: Config, now: Config, sources: ReadonlyMap<string, string>): Pinned {
  const before = flat(atStart)
  const after = flat(now)
  const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
  const byPerson = (path: string) => /^(?:flag|environment) /.test(sources.get(path) ?? '')
  const changed = paths.filter(byPerson)
  const config = structuredClone(atStart) as unknown as { [key: string]: unknown }
  for (const path of changed) {
    const value = after.get(path)
    // A value the person took away is absent, not null: null is no limit to anyone who compares with it.
    setAt(config, path, value === undefined ? undefined : JSON.parse(value))
  }
  return { config: config as unknown as Config, changed, ignored: paths.filter((path) => !byPerson(path)) }
}

/** Every value that is not itself a table, by dotted path, as JSON. */
function flat(config: Config): Map<string, string> {
  const values = new Map<string, string>()
  const walk = (tree: Tree, above: string): void => {
    for (const [key, value] of Object.entries(tree)) {
      const path = above === '' ? key : `${above}.${key}`
      if (isTree(value)) walk(value, path)
      else if (value !== undefined) values.set(path, JSON.stringify(value))
    }
  }
  walk(config as unknown as Tree, '')
  return values
}
