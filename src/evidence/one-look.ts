import type { Workspace } from './types.ts'

/**
 * Several checks ask for the list and for the place of the repository; both are the same for all of them until a command
 * begins or ends. What git says about the files themselves is asked anew each time: it tells which of them can be
 * believed to be as they were, and counts only when they were looked at before it was asked.
 */
export function withOneLook(workspace: Workspace): Workspace {
  let listing: Promise<readonly string[]> | undefined
  const places = new Map<string, Promise<string | undefined>>()
  const forget = () => {
    listing = undefined
    places.clear()
  }
  return {
    dir: workspace.dir,
    read: (path) => workspace.read(path),
    git(args) {
      if (args[0] !== 'rev-parse') return workspace.git(args)
      const question = args.join('\0')
      const answer = places.get(question) ?? workspace.git(args)
      places.set(question, answer)
      return answer
    },
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
