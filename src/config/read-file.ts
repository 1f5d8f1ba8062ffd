import { ConfigError } from './errors.ts'
import type { Found } from './find.ts'
import { isTree, type Layer, type Tree } from './merge.ts'
import { scanJson } from './scan-json.ts'
import { problemsOf } from './validate.ts'

/** What a configuration file says, or everything that is wrong with it, line by line. */
export async function readConfigFile(found: Found): Promise<Layer> {
  const { value, lines, faults } = found.kind === 'yaml' ? await yaml(found) : json(found)
  const prefix = found.kind === 'package' ? 'exitgate' : ''
  const lineOf = (path: string): number => {
    // Values inside something that has no line of its own (an alias) stand where that thing stands.
    for (let at = join(prefix, path); at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const line = lines.get(at)
      if (line !== undefined) return line
    }
    return 1
  }
  const label = (path: string): string => `${found.name}:${lineOf(path)}`
  const patch = found.kind === 'package' ? (value as Tree).exitgate : (value ?? {})
  const problems = [...faults, ...problemsOf(patch).map(({ path, text }) => `${label(path.join('.'))}: ${text}`)]
  if (problems.length > 0) throw new ConfigError(problems)
  return { patch: isTree(patch) ? patch : {}, label }
}

interface Read {
  readonly value: unknown
  readonly lines: ReadonlyMap<string, number>
  readonly faults: readonly string[]
}

async function yaml(found: Found): Promise<Read> {
  const { parseYaml } = await import('./parse-yaml.ts')
  return { ...parseYaml(found.text, found.name), faults: [] }
}

function json({ name, text }: Found): Read {
  const scan = scanJson(text)
  if (text.trim() === '') throw new ConfigError(`${name}:1: this file is empty; the least it can hold is {}.`)
  if (scan.error !== undefined) {
    const { line, column, text: why } = scan.error
    throw new ConfigError(`${name}:${line}:${column}: ${why}`)
  }
  const faults = scan.duplicates.map((duplicate) => `${name}:${duplicate.line}: ${duplicate.text}`)
  return { value: JSON.parse(text), lines: scan.lines, faults }
}

function join(prefix: string, path: string): string {
  return prefix === '' || path === '' ? prefix + path : `${prefix}.${path}`
}
