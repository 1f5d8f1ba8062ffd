import type { AgentError } from '../types.ts'
import { signature } from './signature.ts'

const ERROR =
  /^\W{0,8}((?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception)|error(?:\[\w{1,10}\])?|ERROR|fatal|FATAL|panic|Traceback)(?!\w)[^:]{0,40}:\s*(\S.*)$/
const FAILED_LINE = /^\W{0,8}(FAILED|FAIL)[\s:]+(\S.*)$/
const NONE = /^(?:0|none|no)\b/i

/** Signature of the error the iteration ended with: the agent's own report of it, else the last line that looks like one. */
export function errorOf(errors: readonly AgentError[], lines: readonly string[]): string | undefined {
  const last = errors.at(-1)
  if (last) return signature(last.kind, last.message)
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index]?.slice(0, 1_000) ?? ''
    const match =
      (line.includes(':') ? ERROR.exec(line) : null) ?? (line.includes('FAIL') ? FAILED_LINE.exec(line) : null)
    if (match?.[1] && match[2] && !NONE.test(match[2])) return signature(match[1], match[2])
  }
  return undefined
}
