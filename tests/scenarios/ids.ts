import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../source-tree.ts'
import { elsewhere, pointless } from './elsewhere.ts'
import { scenarios } from './index.ts'

/** Other tables that contain cases by id. */
const TABLES = [
  'tests/policy/breaker-rows.ts',
  'tests/policy/breaker-more-rows.ts',
  'tests/policy/progress.test.ts',
  'tests/scenarios/ralph-reading.test.ts',
  'tests/scenarios/commands.test.ts',
]

/** Every case id, with the file that contains it. */
export function idsWithPlaces(): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  const add = (id: string, file: string) => ids.has(id) || ids.set(id, file)
  for (const [file, rows] of Object.entries(scenarios))
    for (const row of rows) for (const id of row.id.split(' ')) add(id, `tests/scenarios/${file}.ts`)
  for (const path of TABLES) for (const id of idsIn(path)) add(id, path)
  for (const [id, [file]] of Object.entries(elsewhere)) add(id, file)
  for (const id of Object.keys(pointless)) add(id, 'tests/scenarios/elsewhere.ts')
  return ids
}

function idsIn(path: string): readonly string[] {
  const text = readFileSync(join(root, path), 'utf8')
  return text.match(/\b(?:cub|prp|doyaken|blackbox|gsd|ralph)-[A-Z]?\d+\b/g) ?? []
}
