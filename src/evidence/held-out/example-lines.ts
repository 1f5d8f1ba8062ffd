/** An acceptance example: a command, and what it must print. */
export interface Example {
  readonly command: string
  /** For its standard input. */
  readonly input?: string | undefined
  readonly output: string
  /** 0 by default. */
  readonly exit?: number | undefined
}

/** A line of a plan: - example: `node cli.js 1h` -> `3600` */
const LINE = /^\s*(?:[-*+]\s+)?example:\s*`([^`]+)`\s*(?:->|=>|→)\s*`([^`]*)`\s*$/i
const PLAN = /\.(?:md|markdown|mdx|txt)$/i

export interface TakenLine {
  /** The line before it, without the state of its box. */
  readonly after: string
  readonly text: string
}

/** The text without its example lines. Only plans can have some. */
export function withoutExamples(
  path: string,
  text: string,
): { readonly left: string; readonly lines: readonly TakenLine[] } {
  if (!PLAN.test(path)) return { left: text, lines: [] }
  const [kept, lines]: [string[], TakenLine[]] = [[], []]
  for (const line of text.split('\n')) {
    if (LINE.test(line)) lines.push({ after: unticked(kept.at(-1) ?? ''), text: line })
    else kept.push(line)
  }
  return { left: kept.join('\n'), lines }
}

const unticked = (line: string): string => line.replace(/^(\s*[-*+]\s+\[)[^\]](\])/, '$1 $2')

/** The text with the lines back in their places, or at the end if the line before them is gone. */
export function restoredLines(text: string, lines: readonly TakenLine[]): string {
  const now = text.split('\n')
  const from = new Map<string, number>()
  for (const { after, text: line } of lines) {
    const found = now.findIndex((each, i) => unticked(each) === after && i >= (from.get(after) ?? 0))
    const at = found < 0 ? now.length : found + 1 + countExamples(now, found + 1)
    now.splice(at, 0, line)
    from.set(after, found < 0 ? 0 : found)
  }
  return now.join('\n')
}

function countExamples(lines: readonly string[], start: number): number {
  const end = lines.findIndex((line, i) => i >= start && !LINE.test(line))
  return (end < 0 ? lines.length : end) - start
}

/** The examples in the lines of a plan. */
export function examplesIn(text: string): readonly Example[] {
  return text.split('\n').flatMap((line) => {
    const [, command, output] = LINE.exec(line) ?? []
    return command === undefined || output === undefined ? [] : [{ command, output }]
  })
}
