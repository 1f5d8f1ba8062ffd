import { plain } from '../../packages/test-output/src/streams.ts'

const MOST_LINES = 20
const MOST_CHARACTERS = 2_000

/** The end of the output, without colours. */
export function lastLines(output: string, most = MOST_LINES): string {
  const lines = plain(output.slice(-MOST_CHARACTERS * 4))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
  return lines.slice(-most).join('\n').slice(-MOST_CHARACTERS)
}
