import { readShell, type ShellCommand, type ShellScript } from './commands.ts'
import { exitStatuses, type ShellOptions } from './exit-status.ts'
import type { Masking } from './state.ts'

/** At the end of a pipe, these return their own exit code instead of that of their input. */
const FILTERS = /^(?:tee|cat|head|tail|[ef]?grep|sed|awk|tr|cut|sort|uniq|less|more|ts|column|wc)$/

/** Explains why the exit code of a command line says nothing about its commands. Undefined if it does. */
export function maskedReason(line: string): string | undefined {
  const ends = exitStatuses(readShell(line), ([name = ''], _node, { place }) =>
    place === 'pipe' && FILTERS.test(name) ? ['pass'] : ['pass', 'lost'],
  )?.filter(({ failed }) => failed)
  if (ends === undefined || ends.length === 0 || ends.some(({ ok }) => !ok)) return undefined
  return reason(ends.find(({ why }) => why !== undefined)?.why)
}

export interface HiddenOptions extends ShellOptions {
  /** Runs the same command in another way. After a failure, its own result counts. */
  readonly alternative?: (command: ShellCommand) => boolean
}

/** A script that can't be followed may hide anything. That matters only if an earlier version could be followed. */
export const TOO_COMPLEX = 'the script is too long or has too many branches to tell whether a failure counts'

/** Explains how a command can fail while its script succeeds. Undefined if it can't. */
export function hiddenFailure(
  script: ShellScript,
  command: ShellCommand,
  commands: readonly ShellCommand[],
  { alternative = () => false, ...options }: HiddenOptions = {},
): string | undefined {
  const ends = exitStatuses(
    script,
    (_words, node, { retry, calls }) => {
      if (node === command.node || calls.includes(command.node)) return ['lost']
      const other = retry ? commands.find((each) => each.node === node) : undefined
      return other !== undefined && alternative(other) ? ['fail'] : ['pass', 'fail']
    },
    options,
  )
  if (ends === undefined) return TOO_COMPLEX
  const end = ends.find(({ ok, failed }) => ok && failed)
  return end === undefined ? undefined : reason(end.why)
}

function reason(why: Masking | undefined): string {
  const text = why?.text.replace(/\s+/g, ' ').trim() ?? ''
  switch (why?.how) {
    case 'or':
      return `"|| ${text}" turns every failure into success`
    case 'pipe':
      return `the exit code is that of "${text.split(' ')[0]}", not of the command piped into it`
    case 'after':
      return `"${text}" at the end hides the exit code of the commands before it`
    case 'not':
      return '"!" turns failure into success'
    case 'condition':
      return `"${text}" only tests its exit code and continues`
    case 'background':
      return 'it runs in the background'
    case 'output':
      return `only its output is used, in "${text}"`
    case 'trap':
      return 'a trap exits with 0'
    case 'set +e':
      return '"set +e" continues after failures'
    default:
      return 'its exit code is lost'
  }
}
