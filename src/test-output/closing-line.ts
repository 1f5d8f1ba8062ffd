import type { Part, TextReader } from './types.ts'

type Counts = Pick<Part, 'passed' | 'failed' | 'skipped' | 'total' | 'broken' | 'unproven'>

export interface ClosingLine {
  readonly pattern: RegExp
  readonly counts: (match: RegExpExecArray) => Counts
}

/** A runner of which one line at the end says everything. */
export function closingLine(framework: string, hints: readonly string[], forms: readonly ClosingLine[]): TextReader {
  return {
    framework,
    hints,
    read: (lines) => {
      const parts: Part[] = []
      for (let at = 0; at < lines.length; at += 1) {
        for (const { pattern, counts } of forms) {
          const match = pattern.exec(lines[at]!)
          if (match === null) continue
          parts.push({ framework, from: at, to: at, ...counts(match) })
          break
        }
      }
      return parts
    },
  }
}

/** From a sum and what of it was not green. */
export function outOf(total: number, failed: number, skipped: number): Counts {
  return { passed: Math.max(0, total - failed - skipped), failed, skipped, total: Math.max(total, failed + skipped) }
}

export const number = (text: string | undefined): number => Number(text ?? 0)
