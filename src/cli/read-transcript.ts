import { closeSync, openSync, readSync } from 'node:fs'
import { FORMATS, openReader, type TranscriptReader } from '../agents/reader.ts'
import type { Transcript } from '../core/types.ts'
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
      readFile(source.path, reader)
    } catch (error) {
      throw fileError('--transcript', source.path, error)
    }
  }
  return reader.end()
}

function readFile(path: string, reader: TranscriptReader): void {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK)
    for (;;) {
      const size = readSync(fd, buffer, 0, CHUNK, null)
      if (size === 0) return
      reader.write(buffer.subarray(0, size))
    }
  } finally {
    closeSync(fd)
  }
}
