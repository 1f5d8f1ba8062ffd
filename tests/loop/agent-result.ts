import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openReader } from '../../src/agents/reader.ts'
import type { AgentResult } from '../../src/core/run.ts'
import { read } from '../../src/core/signals/read.ts'

type Exit = Partial<Pick<AgentResult, 'code' | 'ended' | 'stderr'>>

/** The result of an agent with this output and this exit. */
export function resultOf(
  printed: string | Buffer,
  format: string,
  { code = 0, ended = 'exit', stderr = '' }: Exit = {},
): AgentResult {
  const reader = openReader(format)
  reader.write(Buffer.from(printed))
  const transcript = reader.end()
  const { tokens, usd } = transcript.usage
  return {
    code,
    ended,
    ms: 1000,
    format: transcript.format,
    bytes: transcript.bytes,
    ...(transcript.session === undefined ? {} : { session: transcript.session }),
    usage: { ...(tokens === undefined ? {} : { tokens }), ...(usd === undefined ? {} : { usd }) },
    errors: transcript.errors,
    finished: transcript.finished,
    signals: read(transcript),
    stderr,
    problems: transcript.problems,
    leftBehind: 0,
  }
}

/** The same for a recorded stream. */
export function goldenResult(file: string, exit: Exit): AgentResult {
  const path = join(import.meta.dirname, '../golden/agents', file)
  return resultOf(readFileSync(path), file.slice(0, file.indexOf('-')), exit)
}
