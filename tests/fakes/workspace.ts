import { posix } from 'node:path'
import type { CommandResult, RunOptions, Workspace } from '../../src/evidence/types.ts'

type Command = string | readonly string[]

export interface FakeOptions {
  /** Content of the files, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** Files that can be read but are not listed, because git ignores them. */
  readonly ignored?: Readonly<Record<string, string>>
  /** Results of commands, by command line (argv joined with spaces) or from a function. Any other command is not found. */
  readonly runs?:
    | Readonly<Record<string, Partial<CommandResult>>>
    | ((command: Command, options: RunOptions) => Partial<CommandResult>)
  /** Output of git, by its arguments joined with spaces or from a function. If absent, there is no repository. */
  readonly git?: Readonly<Record<string, string>> | ((args: readonly string[]) => string | undefined)
  readonly dir?: string
}

export interface FakeWorkspace extends Workspace {
  /** Tests change this map to simulate an agent's edits. */
  readonly files: Map<string, string>
  /** Every command that ran, in order. */
  readonly ran: readonly { readonly command: Command; readonly options: RunOptions }[]
}

const MOST_CHARACTERS = 2 * 1024 * 1024
const EXIT: CommandResult = { code: 0, ended: 'exit', output: '', cut: 0, ms: 1 }

/** A fake `openWorkspace`. It reads no files, runs no commands, and records every call. */
export function fakeWorkspace(options: FakeOptions = {}): FakeWorkspace {
  const files = new Map(Object.entries(options.files ?? {}))
  const ignored = new Map(Object.entries(options.ignored ?? {}))
  const ran: { command: Command; options: RunOptions }[] = []
  const holds = (folder: string) =>
    folder === '.' || [...files.keys(), ...ignored.keys()].some((path) => path.startsWith(`${folder}/`))

  return {
    dir: options.dir ?? '/fake/workspace',
    files,
    ran,
    read(path) {
      const text = files.get(posix.normalize(path)) ?? ignored.get(posix.normalize(path))
      return text === undefined || text.length > MOST_CHARACTERS || text.includes('\0') ? undefined : text
    },
    list: async () => [...files.keys()].sort(),
    async git(args) {
      if (typeof options.git === 'function') return options.git(args)
      return options.git?.[args.join(' ')]
    },
    async run(command, runOptions) {
      const nothing = { ...EXIT, code: null, ms: 0 }
      if (runOptions.signal?.aborted === true) {
        return { ...nothing, ended: 'aborted', problem: 'it was cancelled before it started' }
      }
      if (!holds(posix.normalize(runOptions.cwd ?? '.').replace(/\/$/, ''))) {
        return { ...nothing, ended: 'not-started', problem: `there is no folder ${runOptions.cwd} in the workspace` }
      }
      ran.push({ command, options: runOptions })
      const scripted =
        typeof options.runs === 'function'
          ? options.runs(command, runOptions)
          : options.runs?.[typeof command === 'string' ? command : command.join(' ')]
      if (scripted !== undefined) {
        const alone = runOptions.separate === true ? { stdout: scripted.output ?? '' } : {}
        return { ...EXIT, ...alone, ...scripted }
      }
      if (typeof command === 'string') return { ...EXIT, code: 127, output: `${command}: not found\n` }
      return { ...nothing, ended: 'not-started', problem: `${command[0]} was not found` }
    },
  }
}
