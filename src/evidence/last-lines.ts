import { isFrame } from '../../packages/exitgate/src/code/backtraces.ts'
import { plain } from '../../packages/test-output/src/streams.ts'

const MOST_LINES = 20
const MOST_CHARACTERS = 2_000

/** The end of the output, without colours. Calls of a backtrace would hide the error above them. */
export function lastLines(output: string, most = MOST_LINES): string {
  const all = plain(output.slice(-MOST_CHARACTERS * 4)).split('\n')
  const lines = all.map((line) => line.trimEnd()).filter((line) => line !== '' && !isFrame(line))
  return lines.slice(-most).join('\n').slice(-MOST_CHARACTERS)
}
