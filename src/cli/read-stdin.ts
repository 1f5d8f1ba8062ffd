import { fstatSync, readSync } from 'node:fs'

const CHUNK = 64 * 1024

/**
 * Everything on the standard input, or the first `most` bytes and one more. Ends early when what came so far is whole: a writer
 * that forgets to close is not waited for.
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
    // Only a chunk that is not full can be the last one.
    if (read < CHUNK && whole(Buffer.concat(chunks).toString('utf8'))) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      // The other end does not block either; a moment later there is more.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
