import { join } from 'node:path'
import {
  type KeepLimits,
  type KeptTexts,
  keepTexts,
  mayBeKept,
} from '../../../packages/exitgate/src/frameworks/kept-files.ts'
import { decodeText } from '../../system/decode-text.ts'
import { pathInside } from '../../system/read-file.ts'
import { withGrammars } from '../syntax/parse.ts'
import { startedFiles } from '../tampering/test-scripts/started-files.ts'
import type { Baseline, Workspace } from '../types.ts'
import { type Carried, withEarlier, withEarlierInstalled } from './carried.ts'
import { bytesOf, contentId } from './content-id.ts'
import { recordDependencies } from './dependencies.ts'
import { type FileStates, fileStates } from './file-states.ts'
import { type FileTable, fileTable, rowOf, statAt } from './file-table.ts'
import { ignoreRules } from './ignore-rules.ts'
import { isInside } from './inside.ts'
import { fullBaseline } from './open.ts'
import { copyHash, newCopiesName, packDependencies, readBaseline, readDependencies, writeBaseline } from './store.ts'
import type { FullBaseline, RoomRecipe, StoredBaseline } from './stored-baseline.ts'
import { surroundings } from './surroundings.ts'

export interface BaselineInput extends Omit<Baseline, 'files' | 'read'> {
  readonly workspace: Workspace
  /** The files, if the caller has just looked at them. */
  readonly seen?: FileStates
  /** Paths whose text must be kept in addition to the usual ones: the configured plan. */
  readonly keep?: readonly string[]
  /** Files that keep the state of an earlier baseline, because their change since then was refused. */
  readonly carried?: readonly Carried[]
  /** Installed packages are not recorded. */
  readonly withoutDependencies?: true
  readonly limits?: KeepLimits
  readonly room?: RoomRecipe
  /** Ignored files that the clean room gets. */
  readonly included?: ReadonlyMap<string, Buffer>
}

/** Stores the current state in a run's state folder. Nothing in it depends on the repository being there later. */
export async function takeBaseline(input: BaselineInput, dir: string): Promise<FullBaseline> {
  const { workspace, limits, seen: looked, keep = [], carried = [], withoutDependencies, ...about } = input
  // The user may have edited files while the checks ran: the agent starts from those.
  const seen = looked ?? fileStates(workspace, { askAgain: true })
  const [states, rules] = await Promise.all([seen, ignoreRules(workspace)])
  // Files that start the tests are compared like the tests, even if the repository does not know them.
  const tested = about.commands.filter(({ kind }) => kind === 'test')
  const named = await withGrammars(() => startedFiles(tested, (path) => workspace.read(path)))
  const wanted = [...keep, ...named]
  const earlier = new Map(carried.flatMap(({ from, paths }) => paths.map((path) => [path, from] as const)))
  const files = withEarlier(withUnlisted(workspace.dir, wanted, states.files), earlier)
  const read = (path: string, most: number) =>
    earlier.has(path) ? earlier.get(path)!.bytes(path) : bytesOf(join(workspace.dir, path), most)
  const always = new Set([...wanted, ...earlier.keys()])
  // Without git, nothing else has the files as they were.
  const onlyHere = states.gitOutput.status === undefined ? new Set(files.paths) : states.dirty
  const kept = keepTexts(read, decodeText, files.paths, onlyHere, always, limits)
  const problems = [
    ...(isInside(dir, workspace.dir)
      ? [`The baseline is in ${dir}, inside the workspace, so the agent can reach it.`]
      : []),
    ...(states.unread > 0 ? [`Too many files to read: ${states.unread} are known by size and time only.`] : []),
  ]
  const installed = withoutDependencies
    ? undefined
    : packDependencies(
        withEarlierInstalled(await recordDependencies(workspace, installedBefore(dir)), earlier, workspace.dir),
      )
  const around = await surroundings(workspace)
  const parts = { ...about, files, rules, problems, workspace: workspace.dir, surroundings: around }
  return store(
    installed === undefined ? parts : { ...parts, dependencies: installed.place },
    kept,
    dir,
    installed?.bytes,
  )
}

/** Stores a commit as the baseline, so that a later change of the repository can't replace it. */
export async function storeRevision(workspace: Workspace, from: FullBaseline, dir: string): Promise<FullBaseline> {
  const { table: files, tree, head, at, commands, evidence } = from
  // Which files were ignored then is not known, so each of them is judged by its rule.
  const rules = { ...(await ignoreRules(workspace)), ignored: [] }
  from.preload(mayBeKept(files.paths))
  const sized = (path: string, most: number) => {
    const bytes = from.bytes(path)
    return bytes !== undefined && bytes.length <= most ? bytes : undefined
  }
  const kept = keepTexts(sized, decodeText, files.paths, new Set())
  const about = { tree, at, commands, evidence, files, rules, problems: [], workspace: workspace.dir }
  return store({ ...about, ...(head !== undefined && { head }) }, kept, dir)
}

type BaselineParts = Omit<StoredBaseline, 'copiesFile' | 'copies' | 'notKept' | 'included'> &
  Pick<BaselineInput, 'included'>

function store(parts: BaselineParts, kept: KeptTexts<Buffer>, dir: string, installed?: Buffer): FullBaseline {
  let offset = 0
  const placesOf = (contents: ReadonlyMap<string, Buffer>) =>
    Object.fromEntries(
      [...contents].map(([path, bytes]) => {
        const place = [offset, bytes.length, copyHash(bytes)] as const
        offset += bytes.length
        return [path, place] as const
      }),
    )
  const { included = new Map<string, Buffer>(), ...about } = parts
  const recorded: StoredBaseline = {
    ...about,
    copiesFile: newCopiesName(),
    copies: placesOf(kept.texts),
    ...(included.size > 0 && { included: placesOf(included) }),
    notKept: kept.notKept,
  }
  const id = writeBaseline(dir, recorded, [...kept.texts.values(), ...included.values()], installed)
  return fullBaseline(dir, recorded, id)
}

/** The previous run's list: most installed files are still the same. */
function installedBefore(dir: string) {
  try {
    const before = readBaseline(dir)
    return before && readDependencies(dir, before.recorded)
  } catch {
    return undefined
  }
}

/** A plan is kept even if the repository ignores it, as it does with many agents' folders. */
function withUnlisted(dir: string, wanted: readonly string[], files: FileTable): FileTable {
  const more = [...new Set(wanted)].flatMap((path): (readonly [string, string])[] => {
    const isListed = rowOf(files.paths, path) >= 0 || pathInside(dir, path) === undefined
    const id = isListed ? undefined : contentId(join(dir, path), 'sha256')
    return id === undefined ? [] : [[path, id]]
  })
  if (more.length === 0) return files
  return fileTable([...files.paths.map((path, row) => [path, files.ids[row]!, statAt(files, row)] as const), ...more])
}
