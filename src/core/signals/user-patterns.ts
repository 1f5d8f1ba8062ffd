import { RE2JS } from 're2js'
import type { ReadOptions, Signals, Transcript } from '../types.ts'
import { type FindPatterns, type PatternsFound, read } from './read.ts'

/** The user's own patterns, in a linear-time engine, so that no pattern or text can make it hang. */

/** Maximum number of characters to search per line. */
const LINE_LIMIT = 2_000

/** Compiles a case-insensitive pattern. Throws an Error if it is invalid. */
export function compilePattern(pattern: string): (line: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
    return (line) => compiled.matcher(line.slice(0, LINE_LIMIT)).find()
  } catch (error) {
    throw new Error(`invalid pattern "${pattern}": ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** `read`, plus the patterns in `options.patterns`. Each match becomes a phrase `user:<pattern>`. */
export function readWithPatterns(transcript: Transcript, options: ReadOptions = {}): Signals {
  return read(transcript, options, findPatterns)
}

const findPatterns: FindPatterns = (patterns, lines): PatternsFound => {
  const phrases: string[] = []
  const problems: string[] = []
  for (const pattern of new Set(patterns)) {
    try {
      const matches = compilePattern(pattern)
      if (lines.some(matches)) phrases.push(`user:${pattern}`)
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }
  return { phrases, problems }
}
