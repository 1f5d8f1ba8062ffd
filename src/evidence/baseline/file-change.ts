import { join } from 'node:path'
import type { Answer } from '../../core/types.ts'
import type { CheckContext } from '../types.ts'
import { hasContent, statOf } from './content-id.ts'

/** Whether a file was added or changed since the baseline, told by its content. */
export function changeOf(
  file: string,
  { baseline, workspace }: Pick<CheckContext, 'baseline' | 'workspace'>,
  listed: readonly string[],
): { readonly answer: Answer; readonly sentence: string } {
  if (baseline === undefined)
    return { answer: 'unknown', sentence: `Without a baseline, nobody knows what ${file} was.` }
  const full = join(workspace.dir, file)
  const id = baseline.files[file]
  if (Object.hasOwn(baseline.files, file) && id !== undefined) {
    const then = baseline.read(file)
    const same = hasContent(full, id) || (then !== undefined && then === workspace.read(file))
    return same
      ? { answer: 'no', sentence: `${file} was not changed since the start.` }
      : { answer: 'yes', sentence: `${file} was changed since the start.` }
  }
  if (listed.includes(file)) return { answer: 'yes', sentence: `${file} was added since the start.` }
  // An ignored file is in no baseline. The one time that a program cannot set still tells when it was left alone.
  const stat = statOf(full)
  if (stat !== undefined && stat.ctimeMs < baseline.at)
    return { answer: 'no', sentence: `${file} was not written since the start.` }
  return { answer: 'unknown', sentence: `${file} is ignored by git, so what it was at the start is not known.` }
}
