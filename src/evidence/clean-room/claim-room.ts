import type { FileStates } from '../baseline/file-states.ts'
import { snapshotOf } from '../stat-snapshot.ts'
import { watchTree } from '../test-results/tree-watch.ts'
import type { CleanRoom, CommandResult, Workspace } from '../types.ts'
import { openWorkspace, withOneList } from '../workspace.ts'
import { ChangedWhileCopied } from './copy-file.ts'
import { openRoom, type RoomOptions } from './open-room.ts'
import { NoCleanRoom } from './room-places.ts'

/** The clean room of one claim. */
export interface ClaimRoom {
  /** The user's files, and commands that run in the room. */
  readonly workspace: Workspace
  readonly problems: readonly string[]
  /** Another room with the same files, for checks that change some of them. */
  openRoom(): Promise<CleanRoom>
  /** Files of the project that were written since the tree was identified. */
  changes(): Promise<readonly string[]>
  /** Keeps what compilers built in the first room. */
  keepCaches(): void
  /** Gives all rooms back. */
  close(): Promise<void>
}

export interface ClaimRoomOptions extends Omit<RoomOptions, 'seen'> {
  readonly seen: FileStates
  /** Runs before the first command of every room: the project's own build. Returns the command that failed. */
  readonly prepare?: (workspace: Workspace) => Promise<CommandResult | undefined>
}

/** Checks change files of a room before they run something in it, so the build has to come after the change. */
function builtWhenUsed(room: CleanRoom, prepare: ClaimRoomOptions['prepare'] & {}): CleanRoom {
  let built: Promise<CommandResult | undefined> | undefined
  let isFirst = true
  const run: Workspace['run'] = async (...args) => {
    built ??= prepare(room.workspace)
    const failed = await built
    // Without its output a first build that fails shows in the tests. Later, they would see the output of the build before it.
    if (failed !== undefined && !isFirst) return failed
    return room.workspace.run(...args)
  }
  const put: CleanRoom['put'] = (path, text) => {
    if (built !== undefined) isFirst = false
    built = undefined
    room.put(path, text)
  }
  return { ...room, workspace: { ...room.workspace, run }, put }
}

/** The room, or the reason why there is none. */
export async function openClaimRoom(options: ClaimRoomOptions): Promise<ClaimRoom | string> {
  const { workspace: project, seen, outputs, prepare } = options
  const frozen = withOneList(project)
  const opened = new Set<CleanRoom>()
  const open = async (): Promise<CleanRoom> => {
    const room = await openRoom({ ...options, workspace: frozen })
    opened.add(room)
    return prepare === undefined ? room : builtWhenUsed(room, prepare)
  }
  const close = async () => {
    for (const room of opened) await room.remove()
    opened.clear()
  }
  try {
    const { workspace, problems, keepCaches } = await open()
    return {
      // Commands can write to the room, so checks that read files look at the project, and `changes` makes sure that it is the same.
      workspace: { ...workspace, read: project.read },
      problems,
      openRoom: open,
      keepCaches,
      // A new handle: the list of the project's own is kept. No check writes here, so a file that was written again may have
      // had other content in between.
      changes: async () => {
        const looked = snapshotOf(project.dir, await frozen.list())
        const watch = await watchTree(openWorkspace(project.dir), { seen, looked, ...(outputs && { outputs }) })
        const { changed, rewritten } = await watch.changes()
        return [...changed, ...rewritten].sort()
      },
      close,
    }
  } catch (error) {
    await close()
    return reasonOf(error)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof NoCleanRoom) return error.message
  if (error instanceof ChangedWhileCopied) return `${error.message}, so something else is writing to the project`
  return `the project could not be copied (${error instanceof Error ? error.message : String(error)})`
}
