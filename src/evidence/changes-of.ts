import type { ChangedFile } from '../../packages/exitgate/src/checks/sides.ts'
import { idInBaseline, isFull } from './baseline/stored-baseline.ts'
import type { CheckContext } from './types.ts'

/** The changed files with their texts before and after. */
export function changesOf(paths: readonly string[], { workspace, baseline }: CheckContext): readonly ChangedFile[] {
  if (baseline !== undefined && isFull(baseline)) baseline.preload(paths)
  return paths.map((path) => {
    const [before, after] = [baseline?.read(path), workspace.read(path)]
    return {
      path,
      wasThere: (baseline !== undefined && idInBaseline(baseline, path) !== undefined) || before !== undefined,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    }
  })
}
