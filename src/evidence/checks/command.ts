import { posix } from 'node:path'
import type { Answer, Evidence } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import { maskedBy } from '../../system/shell/hidden-failure.ts'
import { plain } from '../../test-output/plain.ts'
import { linesBehind } from '../detect/scripts-behind.ts'
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

const MOST_LINES = 20
const MOST_CHARACTERS = 2_000

/** Every command of the configuration but the tests, each a check under its own name. */
export const commands: CheckDefinition = {
  name: 'commands',
  checksFor: ({ config }) =>
    Object.entries(config.commands).flatMap(([name, command]) =>
      name === 'test' || command === undefined ? [] : [commandCheck({ name, command })],
    ),
}

/** Asks a command: `yes` when it exits with 0. What could not be run has not been asked. */
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

/** Also behind `npm run build` and `make build`: a script can hide its exit code as well as a line can. */
function maskedIn({ command, cwd = '' }: CommandCheckOptions, workspace: Workspace): string | undefined {
  if (typeof command !== 'string') return undefined
  const lines = linesBehind(command, (path) => workspace.read(posix.join(cwd, path)))
  for (const line of lines) {
    const why = maskedBy(line)
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
  if (masked !== undefined) return ['unknown', `${name} exited with 0, but that says nothing: ${masked}.`]
  return ['yes', `${name} exited with 0.`]
}

/** What a person would look at: the end, without colours. */
function lastLines(output: string): string {
  const lines = plain(output.slice(-MOST_CHARACTERS * 4))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  return lines.slice(-MOST_LINES).join('\n').slice(-MOST_CHARACTERS)
}
