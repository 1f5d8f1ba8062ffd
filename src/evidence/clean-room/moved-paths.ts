import { existsSync } from 'node:fs'
import { delimiter } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { isInside } from '../baseline/inside.ts'
import { scrubbed } from '../scrub-environment.ts'
import type { Workspace } from '../types.ts'

/** Prints where the interpreter looks for modules, including editable installs. */
const PRINT_MODULE_PATHS = `
import json, os, sys
places = [place for place in sys.path if place]
for finder in sys.meta_path:
    module = sys.modules.get(getattr(finder, '__module__', None) or '')
    mapping = getattr(module, 'MAPPING', None)
    if isinstance(mapping, dict):
        places += [os.path.dirname(place) for place in mapping.values() if isinstance(place, str)]
print(json.dumps(places))
`
const DEADLINE_MS = 20_000

/**
 * Python finds an editable install (`pip install -e`) by its original path. The same paths in the copy must come first. Undefined
 * if there are none.
 */
export async function pythonPath(
  copy: Workspace,
  top: { readonly from: string; readonly to: string },
  cwd: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const interpreters = '.venv/bin/python venv/bin/python env/bin/python python3 python'.split(' ')
  const near = cwd === '' ? [''] : [`${cwd}/`, '']
  const modulePaths = new Set<string>()
  for (const name of interpreters) {
    for (const folder of name.includes('/') ? near : ['']) {
      const command = name.includes('/') ? `${copy.dir}/${folder}${name}` : name
      if (name.includes('/') && !existsSync(command)) continue
      const ran = await copy.run([command, '-c', PRINT_MODULE_PATHS], {
        deadlineMs: DEADLINE_MS,
        ...(signal && { signal }),
      })
      for (const place of pathsIn(ran.output)) modulePaths.add(place)
    }
  }
  const own = [...modulePaths].filter(
    (place) => isInside(place, top.from) && !/[\\/](?:site|dist)-packages(?:[\\/]|$)/.test(place),
  )
  const moved = own
    .filter((place) => !/[\\/]lib[\\/]python[\d.]+|\.zip$/.test(place))
    .map((place) => top.to + place.slice(top.from.length))
  return moved.length === 0 ? undefined : moved.join(delimiter)
}

function pathsIn(output: string): readonly string[] {
  try {
    const places: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '')
    return Array.isArray(places) ? places.filter((place): place is string => typeof place === 'string') : []
  } catch {
    return []
  }
}

/** Environment variables that contain the original path, with the copy's path instead. */
export function movedEnvironment(
  env: Environment,
  allow: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Record<string, string> {
  const moved = Object.entries(scrubbed(env, allow)).map(
    ([name, value]) => [name, withCopyPath(value, from, to)] as const,
  )
  return Object.fromEntries(moved.filter(([name, value]) => value !== env[name]))
}

/** `/a/b` is part of `/a/b/c` and `/a/b:/d`, but not of `/a/bc`. */
export function withCopyPath(value: string, from: string, to: string): string {
  const parts = value.split(from)
  const last = parts.length - 1
  return parts.map((part, i) => part + (i === last ? '' : /^[^/\\:;,"'\s]/.test(parts[i + 1]!) ? from : to)).join('')
}
