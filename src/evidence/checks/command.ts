import { posix } from 'node:path'
import type { Answer, Evidence } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import { shellCommands } from '../../system/shell/commands.ts'
import { maskedReason } from '../../system/shell/hidden-failure.ts'
import { stringsOf } from '../detect/project.ts'
import { lastLines } from '../last-lines.ts'
import type { Check, CheckContext, CommandResult, Workspace } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

export interface CommandCheckOptions {
  /** `build`, `lint`, `typecheck`, or `command:NAME` for one of the user's own. */
  readonly name: string
  /** A command line for the shell, or an argv. */
  readonly command: string | readonly string[]
  /** Folder in the workspace. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The context's deadline when absent. */
  readonly deadlineMs?: number
}

/** Every configured command that doesn't run tests, each a check under its own name. */
export const commands: CheckDefinition = {
  name: 'commands',
  checksFor: ({ config }) =>
    Object.entries(config.commands).flatMap(([name, command]) =>
      name === 'test' || name === 'quick' || command === undefined ? [] : [commandCheck({ name, command })],
    ),
}

/** Runs a command: `yes` if it exits with 0, `unknown` if it could not be run. */
export function commandCheck(options: CommandCheckOptions): Check {
  return {
    name: options.name,
    async collect(context: CheckContext): Promise<readonly Evidence[]> {
      const deadlineMs = options.deadlineMs ?? context.deadlineMs
      const masked = maskedIn(options, context.workspace)
      const ran = await context.workspace.run(options.command, {
        deadlineMs,
        ...(options.cwd !== undefined && { cwd: options.cwd }),
        ...(options.env !== undefined && { env: options.env }),
        ...(context.signal !== undefined && { signal: context.signal }),
      })
      const [answer, detail] = judge(shown(options.command), ran, masked, deadlineMs)
      return [{ check: options.name, answer, detail: redact(detail), ms: ran.ms, tree: context.tree }]
    },
  }
}

const shown = (command: string | readonly string[]) => `"${typeof command === 'string' ? command : command.join(' ')}"`

/** Also looks inside `npm run build` and `make build`: a script can hide its exit code as well as a command line can. */
function maskedIn({ command, cwd = '' }: CommandCheckOptions, workspace: Workspace): string | undefined {
  if (typeof command !== 'string') return undefined
  const lines = scriptLinesOf(command, (path) => workspace.read(posix.join(cwd, path)))
  for (const line of lines) {
    const why = maskedReason(line)
    if (why !== undefined) return line === command ? why : `in "${line}", ${why}`
  }
  return undefined
}

function judge(name: string, ran: CommandResult, masked: string | undefined, deadlineMs: number): [Answer, string] {
  const last = lastLines(ran.output)
  const tail = last === '' ? '' : `\n${last}`
  if (ran.ended === 'not-started')
    return ['unknown', `${name} could not be started: ${ran.problem ?? 'no reason given'}.`]
  if (ran.ended === 'aborted') return ['unknown', `${name} was stopped because the run was interrupted.`]
  if (ran.ended === 'deadline') {
    return ['unknown', `${name} did not finish within ${Math.round(deadlineMs / 1000)} s and was stopped.${tail}`]
  }
  if (ran.code === null) return ['unknown', `${name} was killed by a signal.${tail}`]
  if (ran.code === 126 || ran.code === 127) return ['unknown', `${name} could not be found or run.${tail}`]
  if (ran.code !== 0) return ['no', `${name} exited with ${ran.code}.${tail}`]
  if (masked !== undefined) return ['unknown', `${name} exited with 0, but its exit code means nothing: ${masked}.`]
  return ['yes', `${name} exited with 0.`]
}

const MOST_SCRIPT_LINES = 100
const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']

type Read = (path: string) => string | undefined

/** The command line itself, and every line it leads to through package.json or a Makefile, each once. */
export function scriptLinesOf(line: string, read: Read): readonly string[] {
  const seen = new Set([line])
  // Iterating over a set includes what is added meanwhile.
  for (const each of seen) for (const next of nextLines(each, read)) if (seen.size < MOST_SCRIPT_LINES) seen.add(next)
  return [...seen]
}

function nextLines(line: string, read: Read): readonly string[] {
  return shellCommands(line).flatMap(({ words }): readonly string[] => {
    const [program = '', ...rest] = words
    const names = rest.filter((word) => !word.startsWith('-'))
    if (MANAGERS.test(program)) {
      const name = names[0] === 'run' || names[0] === 'run-script' ? names[1] : names[0]
      const script = name === undefined ? undefined : packageScripts(read('package.json'))[name]
      return script === undefined ? [] : [script]
    }
    if (program !== 'make' && program !== 'gmake') return []
    const file = MAKEFILES.map(read).find((text) => text !== undefined)
    return file === undefined ? [] : names.flatMap((name) => recipe(file, name))
  })
}

function packageScripts(text: string | undefined): Readonly<Record<string, string>> {
  try {
    return stringsOf((JSON.parse(text ?? '') as { scripts?: unknown }).scripts)
  } catch {
    return {}
  }
}

/** The lines of a target, without make's prefixes. A line that starts with `-` continues after a failure. */
function recipe(makefile: string, target: string): readonly string[] {
  const lines = makefile.split(/\r?\n/)
  const from = lines.findIndex(
    (line) => /^[A-Za-z][\w .-]*::?(?!=)/.test(line) && line.split(':')[0]!.split(' ').includes(target),
  )
  if (from < 0) return []
  const rest = lines.slice(from + 1)
  const end = rest.findIndex((line) => !/^\t|^\s*(?:#.*)?$/.test(line))
  const own = rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim())
  return own.filter((line) => line !== '' && !line.startsWith('#')).map(shellLine)
}

function shellLine(line: string): string {
  const signs = /^[@+-]*/.exec(line)![0]
  const rest = line.slice(signs.length).trim()
  return signs.includes('-') ? `${rest} || true` : rest
}
