import type { Io } from '../../src/cli/io.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command like the program does. Errors for the user go to stderr, with their exit code. */
export async function ran(
  run: (args: readonly string[], io: Io) => Promise<number>,
  args: readonly string[],
  { cwd, env = {}, isTTY }: { cwd: string; env?: Readonly<Record<string, string>>; isTTY?: boolean },
): Promise<Ran> {
  let out = ''
  let err = ''
  const io: Io = {
    stdout: { write: (text) => (out += text), isTTY },
    stderr: { write: (text) => (err += text) },
    env,
    cwd,
    home: cwd,
    platform: 'linux',
    now: () => 0,
  }
  const code = await run(args, io).catch((error: Error & { exitCode?: number }) => {
    if (error.exitCode === undefined) throw error
    err += `${error.message}\n`
    return error.exitCode
  })
  return { code, out, err }
}
