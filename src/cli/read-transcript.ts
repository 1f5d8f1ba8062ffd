import { open } from 'node:fs/promises'
import { FORMATS, openReader, type TranscriptReader } from '../agents/reader.ts'
import type { Transcript } from '../types.ts'
import { fileError } from './errors.ts'
import { oneOf } from './parse.ts'

/** One buffer of this size serves the whole file: more is not faster, and less costs a system call each. */
const CHUNK = 1024 * 1024

/** Reads what one iteration printed, from a file or from stdin, without ever holding all of it. */
export async function readTranscript(
  source: { readonly path: string } | { readonly stdin: true },
  format: string,
): Promise<Transcript> {
  const reader = openReader(oneOf('--format', format, FORMATS))
  if ('stdin' in source) {
    for await (const chunk of process.stdin) reader.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  } else {
    try {
      await readFile(source.path, reader)
    } catch (error) {
      throw fileError('--transcript', source.path, error)
    }
  }
  return reader.end()
}

async function readFile(path: string, reader: TranscriptReader): Promise<void> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, null)
      if (bytesRead === 0) return
      reader.write(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}
