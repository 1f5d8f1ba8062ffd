import { testProgress } from '../../packages/exitgate/src/frameworks/progress.ts'
import { type CommandOptions, type CommandResult, runCommand } from '../system/run-command.ts'
import type { OnCommand, RunOptions } from './types.ts'

/** People can't read faster. */
const EVERY_MS = 100
/** Of a flood, only the end is passed on. */
const MOST_TEXT = 8 * 1024
const LONGEST_LINE = 200

let ids = 0

/** Runs a command, and reports its start, its output and its end if it has a name. */
export async function runReported(
  dir: string,
  command: string | readonly string[],
  options: CommandOptions,
  { as }: Pick<RunOptions, 'as'>,
  onCommand: OnCommand | undefined,
): Promise<CommandResult> {
  if (onCommand === undefined || as === undefined) return runCommand(dir, command, options)
  ids += 1
  const id = ids
  const [line = ''] = (as.command ?? (typeof command === 'string' ? command : command.join(' '))).split('\n')
  onCommand({ type: 'command', id, ...as, command: line.slice(0, LONGEST_LINE) })
  const count = as.check === 'tests' ? testProgress() : () => undefined
  let counts: ReturnType<typeof count>
  let pending = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (pending === '') return
    const text = pending
    pending = ''
    onCommand({ type: 'command-output', id, text, ...(counts && { counts }) })
  }
  const onOutput = (bytes: Buffer): void => {
    const text = bytes.toString('utf8')
    counts = count(text)
    pending += text
    // Whole lines only: half a secret would not be recognised.
    if (pending.length > MOST_TEXT) pending = pending.slice(pending.indexOf('\n', pending.length - MOST_TEXT) + 1)
    timer ??= setTimeout(flush, EVERY_MS)
  }
  const ran = await runCommand(dir, command, { ...options, onOutput })
  flush()
  onCommand({ type: 'command-ended', id, code: ran.code, ms: ran.ms })
  return ran
}
