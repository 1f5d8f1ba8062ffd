import { type Call, type Installation, InstallError, isOurs, type Where } from './installation.ts'

export interface OwnFile {
  readonly client: string
  file(where: Where): string
  text(call: Call): string
  /** The command line in our file; undefined if the file is not ours. */
  command(text: string): string | undefined
  readonly notes: readonly string[]
}

/** A client that reads all files of a folder, so exitgate adds its own file. */
export function ownFile(spec: OwnFile): Installation {
  const ownCommand = (text: string): string => {
    const command = spec.command(text)
    if (!isOurs(spec.client, command)) throw new InstallError('it was not written by exitgate')
    return command
  }
  return {
    files: (where) => [spec.file(where)],
    notes: spec.notes,
    find: (text) => [ownCommand(text)],
    add(text, call) {
      if (text !== undefined) ownCommand(text)
      return spec.text(call)
    },
    remove(text) {
      ownCommand(text)
      return undefined
    },
  }
}

/** A plugin that the client loads. Its first line contains the command line, so that exitgate recognizes it. */
export const ownProgram = (spec: Omit<OwnFile, 'command'>): Installation =>
  ownFile({
    ...spec,
    text: (call) =>
      `// Written by exitgate hook install ${spec.client}. To remove it: exitgate hook uninstall ${spec.client}. It calls: ${call.line}\n${spec.text(call)}`,
    command: (text) => /^\/\/ Written by exitgate [^\n]* It calls: ([^\r\n]+)/.exec(text)?.[1],
  })
