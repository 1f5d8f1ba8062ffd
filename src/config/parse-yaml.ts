import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { ConfigError } from './errors.ts'

export interface ParsedYaml {
  readonly value: unknown
  /** Line (from 1) of every key and list item, by dotted path. */
  readonly lines: ReadonlyMap<string, number>
}

// A file that repeats its aliases more often than this is a bomb or a mistake; both are better refused than expanded.
const MAX_ALIASES = 50

/** Reads YAML 1.2. Throws a ConfigError that names the file and the line. */
export function parseYaml(text: string, name: string): ParsedYaml {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true, schema: 'core' })
  // An unknown tag is only a warning to the parser, but its value would not be what the author meant.
  const faults = [...document.errors, ...document.warnings].map(({ code, pos, message }) => {
    const why = code === 'MULTIPLE_DOCS' ? 'only one document may stand in it' : firstSentence(message)
    return `${name}:${counter.linePos(pos[0]).line}: this is not YAML we can read: ${why}.`
  })
  if (faults.length > 0) throw new ConfigError(faults)
  const lines = new Map<string, number>()
  const lineOf = (node: unknown, otherwise: number): number => {
    const range = (node as Node | null)?.range
    return range ? counter.linePos(range[0]).line : otherwise
  }
  const walk = (node: unknown, path: string, above: number): void => {
    // What an alias stands for was already walked where it was written.
    if (isAlias(node)) {
      if (node.resolve(document) !== undefined) return
      const line = lineOf(node, above)
      throw new ConfigError(
        `${name}:${line}: this is not YAML we can read: *${node.source} stands for nothing above it.`,
      )
    }
    if (isMap(node)) {
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
        const inner = path === '' ? key : `${path}.${key}`
        const line = lineOf(pair.key, above)
        lines.set(inner, line)
        walk(pair.value, inner, line)
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, i) => {
        const line = lineOf(item, above)
        lines.set(`${path}.${i}`, line)
        walk(item, `${path}.${i}`, line)
      })
    }
  }
  walk(document.contents, '', 1)
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), lines }
  } catch (thrown) {
    throw new ConfigError(
      `${name}:1: this YAML cannot be expanded: ${firstSentence(String((thrown as Error).message))}.`,
    )
  }
}

function firstSentence(message: string): string {
  return message.split('\n')[0]!.trim().replace(/[.:]$/, '')
}
