import { fstatSync, readSync } from 'node:fs'
import { errorCode } from '../system/files.ts'

const CHUNK = 64 * 1024
const CLOSING = 0x7d
const SPACE = 0x20

/**
 * A JSON object on the standard input, or its first `most` bytes and a few more. Ends early when what came so far is whole: a
 * writer that forgets to close is not waited for.
 */
export function readStdin(most: number, whole: (text: string) => boolean): string {
  // A terminal, or nothing at all: nobody will write.
  if (fstatSync(0).isCharacterDevice()) return ''
  const chunks: Buffer[] = []
  let size = 0
  while (size <= most) {
    const chunk = Buffer.allocUnsafe(CHUNK)
    const read = readSome(chunk)
    if (read === 0) break
    chunks.push(chunk.subarray(0, read))
    size += read
    // Looking at everything again and again would take for ever; so only a piece that ends like the end is worth it.
    if (endsIn(chunk, read) === CLOSING && whole(Buffer.concat(chunks).toString('utf8'))) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The last byte that is no space. */
function endsIn(chunk: Buffer, size: number): number | undefined {
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
      // The other end does not block either; a moment later there is more.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
