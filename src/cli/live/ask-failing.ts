import { count, listOf } from '../../core/count.ts'
import { clean } from '../../reports/live/clean.ts'
import { wrapText } from '../../reports/live/line.ts'
import { askYesNo } from '../ask.ts'
import { sizeOf, type TerminalIo } from './terminal.ts'

interface FailingOptions {
  readonly signal: AbortSignal
  /** The live view was taken away, and the names with it. */
  readonly showNames: boolean
}

/** You have just started the run. If the failing tests are its task, waiting costs time. */
const WAIT_MS = 20_000
const MOST_NAMES = 10

/** Asks whether tests that already fail are accepted. Without an answer, they must pass. */
export function askFailing(
  io: TerminalIo,
  failing: readonly string[],
  { signal, showNames }: FailingOptions,
): Promise<boolean | undefined> {
  const already = count(failing.length, 'test already fails', 'tests already fail')
  const names = listOf(
    failing.map((name) => `"${clean(name)}"`),
    MOST_NAMES,
  )
  const lines = wrapText(`${already} and must pass: ${names}`, sizeOf(io.stdout).columns)
  if (showNames) io.stdout.write(`${lines.join('\n')}\n`)
  const question = failing.length === 1 ? 'Accept it? It may then fail.' : 'Accept them? They may then fail.'
  return askYesNo(io, question, { usual: false, ms: WAIT_MS, signal })
}
