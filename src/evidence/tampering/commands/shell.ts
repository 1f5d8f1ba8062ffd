import { readShell, type ShellCommand, shellCommands } from '../../../system/shell/commands.ts'
import { hiddenFailure } from '../../../system/shell/hidden-failure.ts'
import { classify } from './classify.ts'

/** One command of a script, and whether its failure is lost. */
export interface Command {
  readonly text: string
  /** Assignments, the program and its arguments. */
  readonly words: readonly string[]
  readonly line: number
  /** Why its failure does not count. */
  readonly masked?: string | undefined
}

/** Of a longer script it is not worked out whose failure is lost. */
const MOST_COMMANDS = 400

/** Commands of a shell script, a package script or a recipe; `strict` ones are run by `sh -e`. */
export function readCommands(script: string, firstLine = 1, strict = false): Command[] {
  const shell = readShell(script)
  const commands = shellCommands(shell, firstLine)
  return commands.map((command) => {
    // Most commands are never asked, and the answer takes a walk through the whole script.
    let masked: { readonly why: string | undefined } | undefined
    return {
      text: command.text,
      words: [...command.assignments, ...command.words],
      line: command.line,
      get masked() {
        masked ??= {
          why:
            commands.length > MOST_COMMANDS
              ? undefined
              : hiddenFailure(shell, command, commands, { alternative, ...(strict && { errexit: true }) }),
        }
        return masked.why
      },
    }
  })
}

/** Another run of tests or linters after a failure is not there to hide it. */
const alternative = ({ text, words, line }: ShellCommand) => classify({ text, words, line }).purpose !== 'other'
