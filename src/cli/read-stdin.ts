import { fstatSync, readSync } from 'node:fs'
import { errorCode } from '../system/files.ts'

const CHUNK = 64 * 1024
const CLOSING = 0x7d
const SPACE = 0x20

/**
 * Reads a JSON object from standard input, up to about `most` bytes. Ends as soon as the text is complete: some writers never close
 * the pipe.
 */
export function readStdin(most: number, isComplete: (text: string) => boolean): string {
  // A terminal or /dev/null: no input will come.
  if (fstatSync(0).isCharacterDevice()) return ''
  const chunks: Buffer[] = []
  let size = 0
  while (size <= most) {
    const chunk = Buffer.allocUnsafe(CHUNK)
    const read = readSome(chunk)
    if (read === 0) break
    chunks.push(chunk.subarray(0, read))
    size += read
    // Parsing everything after every chunk would be slow, so try only if the chunk ends with a brace.
    if (lastByte(chunk, read) === CLOSING && isComplete(Buffer.concat(chunks).toString('utf8'))) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The last byte that is not white space. */
function lastByte(chunk: Buffer, size: number): number | undefined {
  let at = size - 1
  while (at > 0 && (chunk[at] ?? 0) <= SPACE) at -= 1
  return chunk[at]
}

function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk)
    } catch (error) {
      const code = errorCode(error)
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      // The pipe is non-blocking: try again in a moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
