import { isTree, type Tree } from './merge.ts'
import { pathBelow } from './paths.ts'

export type Format = 'json' | 'yaml'

export interface Rendering {
  readonly format: Format
  /** Path or URL of the JSON schema, for editors. */
  readonly schema?: string | undefined
  /** Comment lines at the top of a YAML file. JSON has no comments. */
  readonly head?: readonly string[]
  /** Comments after values in a YAML file, by dotted path. */
  readonly comments?: ReadonlyMap<string, string>
}

/** Formats a patch as a configuration file. */
export function render(patch: object, { format, schema, head = [], comments = new Map() }: Rendering): string {
  if (format === 'json') {
    return `${JSON.stringify(schema === undefined ? patch : { $schema: schema, ...patch }, null, 2)}\n`
  }
  const lines = [
    ...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]),
    ...head.map(comment),
    ...section(patch as Tree, '', '', comments),
  ]
  return `${lines.join('\n')}\n`
}

function comment(line: string): string {
  return line === '' ? '' : `# ${line}`
}

/** JSON strings and lists are valid YAML and always unambiguous. */
function section(tree: Tree, above: string, indent: string, comments: ReadonlyMap<string, string>): readonly string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    const path = pathBelow(above, key)
    const name = /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)
    const comment = comments.has(path) ? `  # ${comments.get(path)}` : ''
    if (isTree(value)) return [`${indent}${name}:`, ...section(value, path, `${indent}  `, comments)]
    if (!Array.isArray(value) || value.length === 0) return [`${indent}${name}: ${formatScalar(value)}${comment}`]
    return [`${indent}${name}:${comment}`, ...value.map((item) => `${indent}  - ${formatScalar(item)}`)]
  })
}

function formatScalar(value: unknown): string {
  const bare =
    typeof value === 'string' && /^[a-z][a-z-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/.test(value)
  return bare ? (value as string) : JSON.stringify(value)
}
