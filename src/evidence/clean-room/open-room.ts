import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { repositoryRoot } from '../../system/git.ts'
import { pathInside, readTextFile } from '../../system/read-file.ts'
import { runCommand } from '../../system/run-command.ts'
import type { ProjectCopy, SandboxSetup } from '../../system/sandbox/enter.ts'
import { type FileStates, fileStates } from '../baseline/file-states.ts'
import { isInside } from '../baseline/inside.ts'
import { ownerState, readOwner, thisOwner } from '../red-proof/owner.ts'
import { scrubbed } from '../scrub-environment.ts'
import type { CleanRoom, CommandResult, RunOptions, Workspace } from '../types.ts'
import { openWorkspace, withCachedList } from '../workspace.ts'
import { sharedDependencies } from './dependencies.ts'
import { type FrozenTree, frozenTree, treeEntries } from './frozen-tree.ts'
import { movedEnvironment, pythonPath, withCopyPath } from './moved-paths.ts'
import { putFile } from './put-file.ts'
import { type RoomEntry, RoomFolder } from './room-folder.ts'

export interface RoomOptions {
  /** The user's project. Its list must be cached since `seen` was taken. */
  readonly workspace: Workspace
  /** The files when the tree was identified. */
  readonly seen: FileStates
  /** The folder of the run, out of the agent's reach. */
  readonly stateDir: string
  readonly env?: Environment
  /** Variables that the user lets through although they look like secrets. */
  readonly allow?: readonly string[]
  /** Ignored files that the room gets, by their path from the top of the repository. */
  readonly included?: ReadonlyMap<string, RoomEntry>
}

/** Why there is no clean room here. The message is for the user. */
export class NoCleanRoom extends Error {}

const ROOMS = 'rooms'
const MOST_ROOMS = 8
const OWNER = 'owner.json'

/** Copies the tree. Throws a NoCleanRoom, or a ChangedWhileCopied if a file changed since it was identified. */
export async function openRoom(options: RoomOptions): Promise<CleanRoom> {
  const { workspace, stateDir, env = process.env, allow = [], included = new Map() } = options
  const tree = await wholeTree(workspace, options.seen)
  const { top } = tree
  if (isInside(stateDir, top)) throw new NoCleanRoom(`the state folder ${stateDir} is inside the project`)
  const place = takePlace(join(stateDir, ROOMS))
  try {
    // Some tools use the folder's name, so the copy has the same one.
    const folder = new RoomFolder(place, basename(top) || 'root')
    const { sandbox } = workspace
    const seenAs = sandbox?.sandbox.canMount ? top : folder.tree
    const { entries, problems } = treeEntries(tree, seenAs)
    const shared = sharedDependencies(tree.dependencies, tree.snapshot.paths, { top, seenAs })
    folder.sync(new Map([...entries, ...shared.entries, ...included]))
    const copy: ProjectCopy = { top, folder: folder.tree, seenAs, mounts: shared.mounts, readable: [] }
    const path = relative(top, workspace.dir)
    const inRoom = await workspaceIn(workspace, copy, path, { env, allow, sandbox })
    return {
      workspace: inRoom,
      problems,
      put: (file, text) => putFile(join(folder.tree, path), file, text),
      remove: async () => releasePlace(place),
    }
  } catch (error) {
    releasePlace(place)
    throw error
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
}

async function workspaceIn(
  workspace: Workspace,
  copy: ProjectCopy,
  path: string,
  { env, allow, sandbox: setup }: CommandSettings,
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
  }
  const run = (command: string | readonly string[], options: RunOptions): Promise<CommandResult> => {
    const { cwd = '', env: added = {}, writable, ...rest } = options
    const folder = pathInside(dir, cwd)
    if (folder === undefined) return Promise.resolve(notStarted(`there is no folder ${cwd} in the workspace`))
    const place = (text: string) => (isMoved ? withCopyPath(text, moves.from, moves.to) : text)
    return runCommand(folder, typeof command === 'string' ? place(command) : command.map(place), {
      ...rest,
      env: { ...own, ...added },
      ...(sandbox && {
        sandbox: {
          setup: sandbox,
          needs: { writable: writable ?? [], network: sandbox.network === 'all' },
          cwd: join(seenAs, relative(dir, folder)),
        },
      }),
    })
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

const notStarted = (problem: string): CommandResult => ({
  code: null,
  ended: 'not-started',
  output: '',
  cut: 0,
  ms: 0,
  problem,
})

/** A folder that no other process uses. It may have the files of an earlier room, which saves copying them. */
function takePlace(rooms: string): string {
  mkdirSync(rooms, { recursive: true, mode: 0o700 })
  for (let number = 1; number <= MOST_ROOMS; number++) {
    const place = join(rooms, String(number))
    mkdirSync(place, { recursive: true, mode: 0o700 })
    if (isTaken(join(place, OWNER))) continue
    try {
      writeFileSync(join(place, OWNER), JSON.stringify(thisOwner()), { flag: 'wx', mode: 0o600 })
      return place
    } catch {
      // Another process was faster.
    }
  }
  throw new NoCleanRoom(`all ${MOST_ROOMS} folders in ${rooms} are in use`)
}

/** An owner that is being written, or one of another machine, counts for this long. */
const UNCLEAR_MS = { unwritten: 10_000, elsewhere: 24 * 60 * 60 * 1000 }

function isTaken(file: string): boolean {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return false
  const age = Date.now() - stat.mtimeMs
  const owner = readOwner(readFileSync(file, 'utf8'))
  const state = owner === undefined ? 'unwritten' : ownerState(owner)
  if (state === 'alive' || (state !== 'ended' && age < UNCLEAR_MS[state])) return true
  rmSync(file, { force: true })
  return false
}

const releasePlace = (place: string): void => rmSync(join(place, OWNER), { force: true })
