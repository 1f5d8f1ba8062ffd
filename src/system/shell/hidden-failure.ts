import { readShell, type ShellCommand, type ShellScript } from './commands.ts'
import { exitStatuses, type ShellOptions } from './exit-status.ts'
import type { Why } from './state.ts'

/** At the end of a pipe these report their own success, not that of what they show. */
const FILTERS = /^(?:tee|cat|head|tail|[ef]?grep|sed|awk|tr|cut|sort|uniq|less|more|ts|column|wc)$/

/** In plain words, why the exit code of a command line says nothing about the commands in it; undefined when it does. */
export function maskedBy(line: string): string | undefined {
  const ends = exitStatuses(readShell(line), ([name = ''], _node, { place }) =>
    place === 'pipe' && FILTERS.test(name) ? ['pass'] : ['pass', 'lost'],
  )?.filter(({ failed }) => failed)
  if (ends === undefined || ends.length === 0 || ends.some(({ ok }) => !ok)) return undefined
  return reason(ends.find(({ why }) => why !== undefined)?.why)
}

export interface HiddenOptions extends ShellOptions {
  /** Runs the same in another way: when it is tried after a failure, its own failure counts. */
  readonly alternative?: (command: ShellCommand) => boolean
}

/** A script that nobody can follow may hide anything. It matters only where an earlier version of the script could be followed. */
export const TOO_COMPLEX = 'the script is too long or has too many branches to tell whether a failure counts'

/** In plain words, how a command can fail although its script then ends with success; undefined when it cannot. */
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

function reason(why: Why | undefined): string {
  const text = why?.text.replace(/\s+/g, ' ').trim() ?? ''
  switch (why?.how) {
    case 'or':
      return `"|| ${text}" turns every failure into success`
    case 'pipe':
      return `the exit code is that of "${text.split(' ')[0]}", not of what is piped into it`
    case 'after':
      return `"${text}" at the end hides the exit code of what goes before`
    case 'not':
      return '"!" turns failure into success'
    case 'condition':
      return `"${text}" only asks for its exit code, and goes on`
    case 'background':
      return 'it runs in the background'
    case 'output':
      return `only its output is used, in "${text}"`
    case 'trap':
      return 'a trap exits with 0'
    case 'set +e':
      return '"set +e" goes on after failures'
    default:
      return 'its exit code is lost'
  }
}
