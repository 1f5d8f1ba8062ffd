import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { ConfigError } from './errors.ts'
import { pathBelow } from './paths.ts'

export interface ParsedYaml {
  readonly value: unknown
  /** Line (from 1) of every key and list item, by dotted path. */
  readonly lines: ReadonlyMap<string, number>
}

// More aliases than this are an attack or a mistake, so they are rejected rather than expanded.
const MAX_ALIASES = 50

/** Reads YAML 1.2. Throws a ConfigError with the file and line. */
export function parseYaml(text: string, name: string): ParsedYaml {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true, schema: 'core' })
  // The parser only warns about an unknown tag, but the value would not be what the author meant.
  const problems = [...document.errors, ...document.warnings].map(({ code, pos, message }) => {
    const why = code === 'MULTIPLE_DOCS' ? 'the file must contain only one document' : firstSentence(message)
    return `${name}:${counter.linePos(pos[0]).line}: invalid YAML: ${why}.`
  })
  if (problems.length > 0) throw new ConfigError(problems)
  const lines = new Map<string, number>()
  const lineOf = (node: unknown, fallback: number): number => {
    const range = (node as Node | null)?.range
    return range ? counter.linePos(range[0]).line : fallback
  }
  const walk = (node: unknown, path: string, above: number): void => {
    // The target of an alias was already visited where it was defined.
    if (isAlias(node)) {
      if (node.resolve(document) !== undefined) return
      const line = lineOf(node, above)
      throw new ConfigError(`${name}:${line}: invalid YAML: the alias *${node.source} is not defined above this line.`)
    }
    if (isMap(node)) {
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
        const inner = pathBelow(path, key)
        const line = lineOf(pair.key, above)
        lines.set(inner, line)
        walk(pair.value, inner, line)
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, i) => {
        const line = lineOf(item, above)
        const inner = pathBelow(path, String(i))
        lines.set(inner, line)
        walk(item, inner, line)
      })
    }
  }
  walk(document.contents, '', 1)
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), lines }
  } catch (thrown) {
    throw new ConfigError(`${name}:1: invalid YAML: ${firstSentence(String((thrown as Error).message))}.`)
  }
}

function firstSentence(message: string): string {
  return message.split('\n')[0]!.trim().replace(/[.:]$/, '')
}
