/** Everything outside the program that a command uses; tests pass their own. */
export interface Io {
  readonly stdout: {
    write(text: string): unknown
    readonly isTTY?: boolean | undefined
    readonly columns?: number | undefined
  }
  readonly stderr: {
    write(text: string): unknown
    readonly isTTY?: boolean | undefined
    readonly columns?: number | undefined
  }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly home: string
  readonly platform: string
  /** This process; absent when the command does not run as a process of its own. */
  readonly pid?: number
  now(): number
}

/** Colours only in a terminal, and not with NO_COLOR or --no-color. */
export function usesColor(stream: Io['stdout'], env: Io['env'], noColor: boolean | undefined): boolean {
  if (noColor || (env.NO_COLOR !== undefined && env.NO_COLOR !== '')) return false
  return stream.isTTY === true && env.TERM !== 'dumb'
}

/** What a command started and does not wait for. The program ends after it. */
export const meanwhile: Promise<unknown>[] = []

/** Who acts when --by is not given. Kept here so that `check` doesn't load the help of its options. */
export const DEFAULT_BY = 'the user'

export function warn(io: Pick<Io, 'stderr'>, text: string): void {
  io.stderr.write(`warning: ${text}\n`)
}

/** Prints a command's result: one JSON document with --json, else lines of text. Returns the exit code of success. */
export function printResult(io: Io, { json }: { readonly json?: boolean }, data: object, lines: readonly string[]): 0 {
  io.stdout.write(json ? `${JSON.stringify(data)}\n` : `${lines.join('\n')}\n`)
  return 0
}
