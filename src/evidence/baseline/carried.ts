import { join, relative, sep } from 'node:path'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { InstalledFiles } from './dependencies.ts'
import { type FileTable, fileTable, rowOf, statAt } from './file-table.ts'
import { type FullBaseline, idInBaseline } from './stored-baseline.ts'

/** Files that keep the state of an earlier baseline. */
export interface Carried {
  readonly from: FullBaseline
  readonly paths: readonly string[]
}

/** A file keeps its earlier content, or its earlier absence. */
export function withEarlier(files: FileTable, earlier: ReadonlyMap<string, FullBaseline>): FileTable {
  if (earlier.size === 0) return files
  const now = files.paths.flatMap((path, row) =>
    earlier.has(path) ? [] : [[path, files.ids[row]!, statAt(files, row)] as const],
  )
  const then = [...earlier].flatMap(([path, from]) => {
    const id = idInBaseline(from, path)
    return id === undefined ? [] : [[path, id] as const]
  })
  return fileTable([...now, ...then])
}

/** The same for installed files. */
export function withEarlierInstalled(
  installed: readonly InstalledFiles[],
  earlier: ReadonlyMap<string, FullBaseline>,
  dir: string,
): readonly InstalledFiles[] {
  return [...earlier].reduce((list, [path, from]) => {
    return list.map((folder) => {
      const inside = relative(folder.path, join(dir, path)).split(sep).join('/')
      const then = from.dependencies?.()?.find((each) => each.path === folder.path)
      if (inside.startsWith('..') || then === undefined) return folder
      if (inside === '') return then
      const rest = folder.files.paths.flatMap((each, row) =>
        each === inside ? [] : [[each, folder.files.ids[row]!, statAt(folder.files, row)] as const],
      )
      const id = then.files.ids[rowOf(then.files.paths, inside)]
      return { ...folder, files: fileTable(id === undefined ? rest : [...rest, [inside, id]]) }
    })
  }, installed)
}

/** A test that failed before the earlier run counts as failing until a run verifies the fix. */
export function withEarlierFailures(tests: TestRun, carried: readonly Carried[]): TestRun {
  const failed = new Set(
    carried.flatMap(({ from }) =>
      (from.tests?.tests ?? []).flatMap(({ name, state }) => (state === 'failed' ? [name] : [])),
    ),
  )
  if (failed.size === 0 || tests.tests === undefined) return tests
  return { ...tests, tests: tests.tests.map((each) => (failed.has(each.name) ? { ...each, state: 'failed' } : each)) }
}
