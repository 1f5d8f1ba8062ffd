import { existsSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { repositoryRoot } from '../../system/git.ts'
import { pathInside, readTextFile } from '../../system/read-file.ts'
import type { ProjectCopy, SandboxSetup } from '../../system/sandbox/enter.ts'
import { type FileStates, fileStates } from '../baseline/file-states.ts'
import { isInside } from '../baseline/inside.ts'
import { NO_OUTPUT, type OutputFiles } from '../callers-files.ts'
import { runReported } from '../report-command.ts'
import { scrubbed } from '../scrub-environment.ts'
import type { CleanRoom, CommandResult, RunOptions, Workspace } from '../types.ts'
import { homeFor, needsOf, noFolder, openWorkspace, withCachedList } from '../workspace.ts'
import { CACHE_VARIABLES, keepCaches, keptCaches } from './build-caches.ts'
import { ChangedWhileCopied } from './copy-file.ts'
import { sharedDependencies } from './dependencies.ts'
import { type FrozenTree, frozenTree, type TreeEntries, treeEntries } from './frozen-tree.ts'
import { movedEnvironment, pythonPath, withCopyPath } from './moved-paths.ts'
import { putFile } from './put-file.ts'
import { type RoomEntry, RoomFolder } from './room-folder.ts'
import { freshHome, NoCleanRoom, releasePlace, roomsFolder, takePlace } from './room-places.ts'

export interface RoomOptions {
  /** The user's project. Its list must be cached since `seen` was taken. */
  readonly workspace: Workspace
  /** The files when the tree was identified. */
  readonly seen: FileStates
  /** Files that the room does without. */
  readonly outputs?: OutputFiles
  /** The folder of the run, out of the agent's reach. */
  readonly stateDir: string
  readonly env?: Environment
  /** Variables that the user lets through although they look like secrets. */
  readonly allow?: readonly string[]
  /** Ignored files that the room gets, by their path from the top of the repository. */
  readonly included?: ReadonlyMap<string, RoomEntry>
  /** When the baseline was taken. The times of files written later are not the agent's choice. */
  readonly since?: number | undefined
  /** Ends the copying. */
  readonly signal?: AbortSignal | undefined
}

/** Copies the tree. Throws a NoCleanRoom, or a ChangedWhileCopied if a file changed since it was identified. */
export async function openRoom(options: RoomOptions): Promise<CleanRoom> {
  const {
    workspace,
    stateDir,
    env = process.env,
    allow = [],
    included = new Map(),
    outputs = NO_OUTPUT,
    signal,
  } = options
  const tree = await wholeTree(workspace, options.seen)
  const { top } = tree
  const kept = roomsFolder(stateDir)
  // Without a sandbox the room is not below the home: tools look for settings in all folders above the project.
  const rooms = workspace.sandbox === undefined ? realpathSync.native(tmpdir()) : kept
  for (const folder of [stateDir, rooms])
    if (isInside(folder, top)) throw new NoCleanRoom(`the folder ${folder} is inside the project`)
  const place = takePlace(stateDir, rooms)
  try {
    // Some tools use the folder's name, so the copy has the same one.
    const folder = new RoomFolder(join(place, 'tree', basename(top) || 'root'), join(place, 'files.jsonl'), signal)
    const seenAs = workspace.sandbox?.sandbox.canMount ? top : folder.tree
    const { paths } = tree.snapshot
    const caches = keptCaches(kept)
    const { entries, problems } = treeEntries(tree, seenAs, options.since)
    const shared = sharedDependencies(tree.dependencies, paths, { top, seenAs })
    for (const [path, entry] of caches.tree) if (entries.get(path) === undefined) entries.set(path, entry)
    for (const added of [shared.entries, included]) for (const [path, entry] of added) entries.set(path, entry)
    for (const path of outputs.known) entries.leaveOut(relative(top, path))
    await syncWithout(outputs, folder, entries, top)
    const cache = new RoomFolder(join(place, 'caches'), join(place, 'caches.jsonl'), signal)
    await cache.sync(caches.folders)
    const variables = CACHE_VARIABLES.filter(([, manifest]) => paths.some((path) => manifest.test(path)))
    const own = {
      ...(workspace.sandbox === undefined && { HOME: freshHome(join(place, 'home'), env) }),
      ...Object.fromEntries(variables.map(([name]) => [name, join(cache.tree, name)])),
    }
    const { sandbox: setup } = workspace
    const sandbox = setup && variables.length > 0 ? { ...setup, write: [...setup.write, cache.tree] } : setup
    // Where the copy has another path, its links lead to the dependencies of the project.
    const readable = seenAs === top ? [] : tree.dependencies.map(({ real }) => real)
    const copy: ProjectCopy = { top, folder: folder.tree, seenAs, mounts: shared.mounts, readable }
    const path = relative(top, workspace.dir)
    const inRoom = await workspaceIn(workspace, copy, path, { env, allow, sandbox, own })
    let isOpen = true
    return {
      workspace: inRoom,
      problems,
      keepCaches: () => keepCaches(kept, { tree: folder.tree, folders: cache.tree }, paths),
      put: (file, text) => putFile(join(folder.tree, path), file, text),
      // Only once: given back twice, it would become two rooms of the next claim.
      remove: async () => {
        if (isOpen) releasePlace(stateDir, rooms, place)
        isOpen = false
      },
    }
  } catch (error) {
    releasePlace(stateDir, rooms, place)
    throw error
  }
}

/** Without a file that changes while it is copied because exitgate prints to it. */
async function syncWithout(outputs: OutputFiles, folder: RoomFolder, entries: TreeEntries['entries'], top: string) {
  for (;;) {
    try {
      return await folder.sync(entries)
    } catch (error) {
      if (!(error instanceof ChangedWhileCopied) || !outputs.has(join(top, error.path))) throw error
      entries.leaveOut(error.path)
    }
  }
}

/** The complete repository: the tests of one folder may need its neighbours. */
async function wholeTree(workspace: Workspace, seen: FileStates): Promise<FrozenTree> {
  const top = repositoryRoot(workspace.dir) ?? workspace.dir
  if (top === workspace.dir) return frozenTree(workspace, seen)
  const whole = withCachedList(openWorkspace(top))
  return frozenTree(whole, await fileStates(whole))
}

interface CommandSettings {
  readonly env: Environment
  readonly allow: readonly string[]
  readonly sandbox: SandboxSetup | undefined
  /** Variables of the room. */
  readonly own: Readonly<Record<string, string>>
}

async function workspaceIn(
  workspace: Workspace,
  copy: ProjectCopy,
  path: string,
  { env, allow, sandbox: setup, own: variables }: CommandSettings,
): Promise<Workspace> {
  const [dir, seenAs] = [join(copy.folder, path), join(copy.seenAs, path)]
  const moves = { from: copy.top, to: copy.seenAs }
  const isMoved = copy.top !== copy.seenAs
  const sandbox = setup && { ...setup, copy }
  const own: Record<string, string> = {
    ...scrubbed(env, allow),
    ...(isMoved && movedEnvironment(env, allow, moves)),
    // Tools that update dependencies before they run would change the shared ones.
    UV_NO_SYNC: '1',
    npm_config_verify_deps_before_run: 'false',
    ...variables,
  }
  const run = (command: string | readonly string[], options: RunOptions): Promise<CommandResult> => {
    const { cwd = '', env: added, ...rest } = options
    const folder = pathInside(dir, cwd)
    if (folder === undefined) return Promise.resolve(noFolder(cwd))
    const place = (text: string) => (isMoved ? withCopyPath(text, moves.from, moves.to) : text)
    const settings = {
      ...rest,
      env: { ...own, ...homeFor(options, sandbox, env), ...added },
      ...(sandbox && {
        sandbox: {
          setup: sandbox,
          needs: needsOf(command, options, sandbox),
          cwd: join(seenAs, relative(dir, folder)),
        },
      }),
    }
    const line = typeof command === 'string' ? place(command) : command.map(place)
    return runReported(folder, line, settings, options, workspace.onCommand)
  }
  const inRoom: Workspace = {
    ...workspace,
    ...(sandbox && { sandbox }),
    copy: { dir, seenAs },
    read: (file) => readTextFile(dir, file),
    run,
  }
  const modules = isMoved ? await movedPython(inRoom, copy, path) : undefined
  if (modules !== undefined) own.PYTHONPATH = [modules, own.PYTHONPATH].filter(Boolean).join(':')
  return inRoom
}

/** An editable install leads to the project's own path, unless the room has that path too. */
async function movedPython(room: Workspace, { top, folder }: ProjectCopy, path: string): Promise<string | undefined> {
  const isPython = ['pyproject.toml', 'setup.py', 'setup.cfg'].some(
    (name) => existsSync(join(folder, name)) || existsSync(join(folder, path, name)),
  )
  return isPython ? pythonPath({ ...room, dir: join(folder, path) }, { from: top, to: folder }, '') : undefined
}
