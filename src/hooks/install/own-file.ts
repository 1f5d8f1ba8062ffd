import { type Call, type Installation, InstallError, isOurs, type Where } from './installation.ts'

export interface OwnFile {
  readonly host: string
  file(where: Where): string
  text(call: Call): string
  /** The command line in a text of ours; undefined when the text is not ours. */
  command(text: string): string | undefined
  readonly notes: readonly string[]
}

/** A host that reads a folder of files, of which one is ours alone. */
export function ownFile(spec: OwnFile): Installation {
  const held = (text: string): string => {
    const command = spec.command(text)
    if (!isOurs(spec.host, command)) throw new InstallError('it was not written by exitgate')
    return command
  }
  return {
    files: (where) => [spec.file(where)],
    notes: spec.notes,
    find: (text) => [held(text)],
    add(text, call) {
      if (text !== undefined) held(text)
      return spec.text(call)
    },
    remove(text) {
      held(text)
      return undefined
    },
  }
}

/** A program of ours that the host loads. Its first line holds the command line, so that it can be found again. */
export const ownProgram = (spec: Omit<OwnFile, 'command'>): Installation =>
  ownFile({
    ...spec,
    text: (call) =>
      `// Written by exitgate hook install ${spec.host}; exitgate hook uninstall ${spec.host} removes it. It calls: ${call.line}\n${spec.text(call)}`,
    command: (text) => /^\/\/ Written by exitgate [^\n]* It calls: ([^\r\n]+)/.exec(text)?.[1],
  })
