/** Where a host's configuration lies for all projects of a person, or for one project. */
export type Scope = 'user' | 'project'

export interface Where {
  readonly scope: Scope
  readonly dir: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Text of a file; undefined when there is none. */
  read(path: string): string | undefined
}

/** The call of our program that a host is given. */
export interface Call {
  /** As an argv. */
  readonly argv: readonly string[]
  /** As a line for the shell. */
  readonly line: string
  readonly seconds: number
}

/** How one host is told to call us. The texts go in and out as they are: whatever is not ours stays byte for byte. */
export interface Installation {
  /** The file to write to, and behind it those in which we may stand from another time. */
  files(where: Where): readonly string[]
  /** The text with our part in it; the same text when it is there already. */
  add(text: string | undefined, call: Call): string
  /** The text without our part; undefined when nothing else was in the file. */
  remove(text: string): string | undefined
  /** Our command lines in it, as they stand there. */
  find(text: string): readonly string[]
  /** Options that the handler needs to know besides. */
  readonly options?: readonly string[]
  /** What the person has to know or do. */
  readonly notes: readonly string[]
}

/** A file that cannot be changed without risk, said in one sentence. */
export class InstallError extends Error {
  readonly exitCode = 64

  constructor(message: string) {
    super(message)
    this.name = 'InstallError'
  }
}

/** Whether a command line of a host's configuration is ours for this host. */
export const isOurs = (host: string, line: unknown): line is string =>
  typeof line === 'string' &&
  new RegExp(`(?:^|[\\\\/'"\\s])(?:exitgate|cli\\.cjs)['"]?\\s+hook\\s+${host}(?![\\w-])`).test(line)
