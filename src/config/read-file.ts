import { ConfigError } from './errors.ts'
import type { Found } from './find.ts'
import { isTree, type Layer, type Tree } from './merge.ts'
import { keysOf, pathOf } from './paths.ts'
import { scanJson } from './scan-json.ts'
import { problemsOf } from './validate.ts'

/** Reads a configuration file. Throws a ConfigError with a line number for every problem. */
export async function readConfigFile(found: Found): Promise<Layer> {
  const { value, lines, syntaxProblems } = found.kind === 'yaml' ? await yaml(found) : json(found)
  const prefix = found.kind === 'package' ? ['exitgate'] : []
  const lineOf = (path: string): number => {
    // Values inside an alias have no line of their own, so use the line of the alias.
    for (let keys = [...prefix, ...keysOf(path)]; keys.length > 0; keys = keys.slice(0, -1)) {
      const line = lines.get(pathOf(keys))
      if (line !== undefined) return line
    }
    return 1
  }
  const label = (path: string): string => `${found.name}:${lineOf(path)}`
  const patch = found.kind === 'package' ? (value as Tree).exitgate : (value ?? {})
  const problems = [...syntaxProblems, ...problemsOf(patch).map(({ path, text }) => `${label(pathOf(path))}: ${text}`)]
  if (problems.length > 0) throw new ConfigError(problems)
  return { patch: isTree(patch) ? patch : {}, label }
}

interface Read {
  readonly value: unknown
  readonly lines: ReadonlyMap<string, number>
  readonly syntaxProblems: readonly string[]
}

async function yaml(found: Found): Promise<Read> {
  const { parseYaml } = await import('./parse-yaml.ts')
  return { ...parseYaml(found.text, found.name), syntaxProblems: [] }
}

function json({ name, text }: Found): Read {
  const scan = scanJson(text)
  if (text.trim() === '') throw new ConfigError(`${name}:1: this file is empty. Write {} for an empty configuration.`)
  if (scan.error !== undefined) {
    const { line, column, text: why } = scan.error
    throw new ConfigError(`${name}:${line}:${column}: ${why}`)
  }
  const syntaxProblems = scan.duplicates.map((duplicate) => `${name}:${duplicate.line}: ${duplicate.text}`)
  return { value: JSON.parse(text), lines: scan.lines, syntaxProblems }
}
