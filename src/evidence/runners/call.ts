import { isPlainWord, quoted } from '../../../packages/core/src/shell-word.ts'
import { type ShellCommand, shellCommands } from '../../system/shell/commands.ts'
import { runnersIn } from '../detect/find-runner.ts'
import type { Detected } from '../types.ts'

/** Shell syntax after which an option would not reach the runner, or whose result is not known. */
const UNSAFE_SYNTAX = /[<>`\n]|\$\(|\\$|(?:^|\s)#/

export function callWord(word: string): string {
  if (isPlainWord(word)) return word
  return process.platform === 'win32' ? `"${word.replaceAll('"', '""')}"` : quoted(word)
}

/** The last step of the line if it is the runner's own call and the earlier steps only prepare it. */
function lastCall(line: string, runner: string): ShellCommand | undefined {
  if (UNSAFE_SYNTAX.test(line)) return undefined
  const steps = shellCommands(line)
  const last = steps[steps.length - 1]
  if (last === undefined || last.words.includes('--')) return undefined
  if (!steps.every(({ next, nested }) => !nested && /^(?:&&|;|\)|)$/.test(next))) return undefined
  const own = runnersIn(last.words.map(callWord).join(' '))
  return own.length === 1 && own[0] === runner && last.next === '' ? last : undefined
}

/** How a package manager passes options on to the script that it runs. */
const PASSES_OPTIONS_ON: readonly (readonly [command: RegExp, line: string])[] = [
  [/^npm (?:test|t|run [^\s-]\S*|run-script [^\s-]\S*)$/, '$& --'],
  // `pnpm test` takes options as its own.
  [/^pnpm (?:run )?([^\s-]\S*)$/, 'pnpm run $1'],
  [/^yarn (?:test|run [^\s-]\S*)$/, '$&'],
  [/^bun run [^\s-]\S*$/, '$&'],
  [/^deno task [^\s-]\S*$/, '$&'],
  [/^composer (?:run-script|run) [^\s-]\S*$/, '$& --'],
]

/** The command line with options at the end of the runner's call; undefined if they would not get there. */
export function withOptions(detected: Detected, options: readonly string[]): string | undefined {
  const { command, behind, runner } = detected
  if (runner === undefined || lastCall(behind ?? command, runner) === undefined) return undefined
  const words = [...options, ...(detected.only ?? [])].map(callWord).join(' ')
  if (behind === undefined) return `${command} ${words}`
  const way = PASSES_OPTIONS_ON.find(([pattern]) => pattern.test(command.trim()))
  return way === undefined ? undefined : `${command.trim().replace(...way)} ${words}`
}

/** The arguments of the runner's call, to see what is set already. */
export function argumentsOf({ command, behind, runner }: Detected): readonly string[] {
  return (runner === undefined ? undefined : lastCall(behind ?? command, runner)?.words) ?? []
}

/** The line with options directly after a word of the call; only possible if the line itself is what runs. */
export function withOptionsAfter(
  line: string,
  runner: string,
  word: string,
  options: readonly string[],
): string | undefined {
  if (lastCall(line, runner) === undefined) return undefined
  const at = line.search(new RegExp(`(?<=\\s)${word.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&')}(?=\\s|$)`))
  if (at < 0) return undefined
  const end = at + word.length
  return `${line.slice(0, end)} ${options.map(callWord).join(' ')}${line.slice(end)}`
}

/** Whether the call already has one of these options; then the user's own choice stays. */
export const hasOption = (detected: Detected, ...options: readonly string[]): boolean =>
  argumentsOf(detected).some((word) => options.some((option) => word === option || word.startsWith(`${option}=`)))
