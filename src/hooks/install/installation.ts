/** The client's configuration for all projects of the user, or for one project. */
export type Scope = 'user' | 'project'

export interface Where {
  readonly scope: Scope
  readonly dir: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Text of a file; undefined if there is none. */
  read(path: string): string | undefined
}

/** How the client calls exitgate. */
export interface Call {
  /** As an argv. */
  readonly argv: readonly string[]
  /** As a line for the shell. */
  readonly line: string
  readonly seconds: number
}

/** How to install the hook for one client. Everything else in its files stays byte for byte. */
export interface Installation {
  /** The file to write, then others that may contain an older hook. */
  files(where: Where): readonly string[]
  /** The text with the hook; unchanged if it is already there. */
  add(text: string | undefined, call: Call): string
  /** The text without the hook; undefined if nothing else is left. */
  remove(text: string): string | undefined
  /** The hook's command lines in the text. */
  find(text: string): readonly string[]
  /** More options for the hook command. */
  readonly options?: readonly string[]
  /** What the user has to know or do. */
  readonly notes: readonly string[]
}

/** Why a file can't be changed safely, in one sentence. */
export class InstallError extends Error {
  readonly exitCode = 64

  constructor(message: string) {
    super(message)
    this.name = 'InstallError'
  }
}

/** Whether a command line is our hook for this client. */
export const isOurs = (client: string, line: unknown): line is string =>
  typeof line === 'string' &&
  new RegExp(`(?:^|[\\\\/'"\\s])(?:exitgate|cli\\.cjs)['"]?\\s+hook\\s+${client}(?![\\w-])`).test(line)
