import type { Workspace } from './types.ts'

/** Several checks ask for the list; it is the same for all of them until a command begins or ends. */
export function withOneList(workspace: Workspace): Workspace {
  let listing: Promise<readonly string[]> | undefined
  const forget = () => {
    listing = undefined
  }
  return {
    dir: workspace.dir,
    read: (path) => workspace.read(path),
    git: (args) => workspace.git(args),
    list() {
      listing ??= workspace.list()
      return listing
    },
    async run(command, options) {
      forget()
      return workspace.run(command, options).finally(forget)
    },
  }
}
