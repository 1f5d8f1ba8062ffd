import { delimiter } from 'node:path'
import { isInside } from '../baseline/inside.ts'
import type { Workspace } from '../types.ts'

/** Where the interpreter looks for modules, packages installed in place included. */
const ASK = `
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
 * A project installed in place (\`pip install -e\`) is found by the path of the original, from wherever it is imported.
 * The same places of the copy, put first, win over those. Undefined when there are none.
 */
export async function pythonPath(
  copy: Workspace,
  top: { readonly from: string; readonly to: string },
  cwd: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const script = '.venv/bin/python venv/bin/python env/bin/python python3 python'.split(' ')
  const near = cwd === '' ? [''] : [`${cwd}/`, '']
  const asked = new Set<string>()
  for (const name of script) {
    for (const folder of name.includes('/') ? near : ['']) {
      const command = name.includes('/') ? `${copy.dir}/${folder}${name}` : name
      const ran = await copy.run([command, '-c', ASK], { deadlineMs: DEADLINE_MS, ...(signal && { signal }) })
      for (const place of placesIn(ran.output)) asked.add(place)
    }
  }
  const own = [...asked].filter(
    (place) => isInside(place, top.from) && !/[\\/](?:site|dist)-packages(?:[\\/]|$)/.test(place),
  )
  const moved = own
    .filter((place) => !/[\\/]lib[\\/]python[\d.]+|\.zip$/.test(place))
    .map((place) => top.to + place.slice(top.from.length))
  return moved.length === 0 ? undefined : moved.join(delimiter)
}

function placesIn(output: string): readonly string[] {
  try {
    const places: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '')
    return Array.isArray(places) ? places.filter((place): place is string => typeof place === 'string') : []
  } catch {
    return []
  }
}
