import { join } from 'node:path'
import type { EvidenceSet } from '../../core/types.ts'
import { insideOf } from '../../system/read-file.ts'
import type { TestRun } from '../../test-output/types.ts'
import { namedFiles } from '../tampering/machinery/named-files.ts'
import type { Detected, Workspace } from '../types.ts'
import { contentId } from './content-id.ts'
import { type FileState, type FileStates, fileStates } from './file-states.ts'
import { ignoreRules } from './ignore-rules.ts'
import { isInside } from './inside.ts'
import { type KeepLimits, keepTexts } from './kept-texts.ts'
import { fullBaseline } from './open.ts'
import type { FullBaseline, Recorded, RecordedFile } from './recorded.ts'
import { copyHash, newCopiesName, writeBaseline } from './store.ts'

export interface BaselineInput {
  readonly workspace: Workspace
  readonly commands: readonly Detected[]
  readonly evidence: EvidenceSet
  readonly tests?: TestRun
  readonly head?: string
  readonly tree: string
  readonly at: number
  /** Paths whose text must be kept besides the usual ones: the configured plan. */
  readonly keep?: readonly string[]
  readonly limits?: KeepLimits
}

/** Stores what is so now in a run's state folder. Nothing of it depends on the repository being there later. */
export async function takeBaseline(input: BaselineInput, dir: string): Promise<FullBaseline> {
  const { workspace, limits } = input
  const [states, rules] = await Promise.all([fileStates(workspace), ignoreRules(workspace)])
  // What the tests are started by is compared like the tests, also when the repository does not know it.
  const tested = input.commands.filter(({ kind }) => kind === 'test')
  const wanted = [...(input.keep ?? []), ...namedFiles(tested, (path) => workspace.read(path))]
  const known = new Map([...states.files, ...unlisted(workspace.dir, wanted, states.files)])
  const kept = keepTexts(workspace.dir, known.keys(), states.dirty, new Set(wanted), limits)
  const files = [...known].map(([path, { id, stat }]): [string, RecordedFile] => [
    path,
    stat === undefined ? [id] : [id, stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino],
  ])
  let offset = 0
  const copies = [...kept.texts].map(([path, bytes]) => {
    const place = [offset, bytes.length, copyHash(bytes)] as const
    offset += bytes.length
    return [path, place] as const
  })
  const problems = [
    ...(isInside(dir, workspace.dir)
      ? [`The baseline lies in ${dir}, inside the workspace: the agent can reach it.`]
      : []),
    ...(states.unread > 0
      ? [`${states.unread} files were too many to be read; they are known by size and time only.`]
      : []),
  ]
  const recorded: Recorded = {
    at: input.at,
    tree: input.tree,
    ...(input.head !== undefined && { head: input.head }),
    commands: input.commands,
    ...(input.tests !== undefined && { tests: input.tests }),
    evidence: input.evidence,
    workspace: workspace.dir,
    files: Object.fromEntries(files),
    copiesFile: newCopiesName(),
    copies: Object.fromEntries(copies),
    notKept: kept.notKept,
    rules,
    problems,
  }
  const id = writeBaseline(dir, recorded, [...kept.texts.values()])
  return fullBaseline(dir, recorded, id)
}

/** A plan is asked about even when the repository ignores it, as many an agent's folder is. */
function unlisted(dir: string, wanted: readonly string[], listed: FileStates['files']): readonly [string, FileState][] {
  return wanted.flatMap((path): [string, FileState][] => {
    const id = listed.has(path) || insideOf(dir, path) === undefined ? undefined : contentId(join(dir, path), 'sha256')
    return id === undefined ? [] : [[path, { id }]]
  })
}
