import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { quoted } from '../../packages/core/src/shell-word.ts'

/*
 * A shell that starts git for this process. To start a program, Node copies the page tables of the whole process, so each start takes
 * milliseconds in a large one. A shell is small. It handles one command at a time and ends soon after the last one, or with this process.
 */

/** Short, so that there is seldom a shell while an agent works. */
const IDLE_MS = 200
const END = '\0end '
/** The marker, a nonce, a space, an exit code and a line break. */
const MOST_END = 48

export interface Shell {
  readonly child: ChildProcessWithoutNullStreams
  /** Runs one command line. Resolves with its exit code, or null if the shell ended before the command. */
  run(line: string, out: (piece: Buffer) => void, said: (piece: Buffer) => void): Promise<number | null>
}

const idle: Shell[] = []

/** For a process that is suspended now, so that its clock can't end them. A signal is sent at once, the end of a stream later. */
export function endIdleShells(): void {
  for (const { child } of idle.splice(0)) child.kill('SIGKILL')
}

/** A shell that no other command uses. It keeps this process alive only while it runs a command. */
export function takeShell(): Shell {
  return idle.pop() ?? openShell()
}

function openShell(): Shell {
  // A session of its own, so that Ctrl+C in the terminal doesn't reach it.
  const child = spawn('/bin/sh', [], { env: {}, cwd: '/', detached: true, stdio: 'pipe' })
  const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[]
  let timer: NodeJS.Timeout | undefined
  let alive = true
  const gone = new Promise<null>((resolve) => {
    const ended = (): void => {
      alive = false
      const at = idle.indexOf(shell)
      if (at >= 0) idle.splice(at, 1)
      resolve(null)
    }
    child.once('error', ended)
    // Its command may still hold the streams open.
    child.once('exit', ended)
  })
  child.stdin.on('error', () => {})
  // The shell's own messages, for example about a signal, are not git's.
  child.stdin.write('exec 3>&2 2>/dev/null\n')
  const shell: Shell = {
    child,
    async run(line, out, said) {
      clearTimeout(timer)
      for (const handle of handles) handle.ref()
      const nonce = randomBytes(8).toString('hex')
      const done = Promise.all([untilEnd(child.stdout, nonce, out), untilEnd(child.stderr, nonce, said)])
      const end = `printf '\\0end %s %s\\n' ${nonce} $code`
      child.stdin.write(`${line}\ncode=$?; ${end}; ${end} >&3\n`)
      const code = await Promise.race([done.then(([code]) => code), gone])
      for (const handle of handles) handle.unref()
      if (alive && code !== null) {
        idle.push(shell)
        timer = setTimeout(() => {
          const at = idle.indexOf(shell)
          if (at >= 0) idle.splice(at, 1)
          child.stdin.end()
        }, IDLE_MS)
        timer.unref()
      }
      return code
    },
  }
  return shell
}

/** Passes on what a stream brings until the marker with this nonce, and resolves with the code after it. */
function untilEnd(stream: NodeJS.ReadableStream, nonce: string, pass: (piece: Buffer) => void): Promise<number> {
  return new Promise((resolve) => {
    let held: Buffer = Buffer.alloc(0)
    const read = (piece: Buffer): void => {
      const all = held.length === 0 ? piece : Buffer.concat([held, piece])
      const from = Math.max(0, all.length - MOST_END)
      const found = all.indexOf(`${END}${nonce} `, from, 'latin1')
      if (found >= 0 && all.at(-1) === 10) {
        stream.off('data', read)
        if (found > 0) pass(all.subarray(0, found))
        resolve(Number(all.toString('latin1', found + END.length + nonce.length + 1)))
        return
      }
      // The marker may come in two pieces.
      if (from > 0) pass(all.subarray(0, from))
      held = all.subarray(from)
    }
    stream.on('data', read)
  })
}

/** The command line that runs a program with these arguments, this folder and exactly this environment; undefined if no line does. */
export function shellLine(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): string | undefined {
  const variables = Object.entries(env)
  if (variables.some(([name]) => !/^[A-Za-z_]\w*$/.test(name))) return undefined
  const line = [
    `(cd -- ${quoted(cwd)} 2>/dev/null || exit ${NOT_FOUND}`,
    'unset PWD OLDPWD',
    ...variables.map(([name, value]) => `export ${name}=${quoted(value)}`),
    `exec ${[program, ...args].map(quoted).join(' ')}) </dev/null 2>&3 3>&-`,
  ].join('\n')
  return line.includes('\0') ? undefined : line
}

/** The shell's own code for a program that is missing. 126 is for one that can't be started. */
const NOT_FOUND = 127
export const wasNotStarted = (code: number | null): boolean => code === NOT_FOUND || code === 126
