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

/** The first line of a program file of ours, in which its command line can be found again. */
export const headOf = (host: string, { line }: Call): string =>
  `// Written by exitgate hook install ${host}; exitgate hook uninstall ${host} removes it. It calls: ${line}`

export const commandInHead = (text: string): string | undefined =>
  /^\/\/ Written by exitgate [^\n]* It calls: ([^\r\n]+)/.exec(text)?.[1]
