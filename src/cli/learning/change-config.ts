import { join } from 'node:path'
import { parseDocument } from 'yaml'
import type { Found } from '../../config/find.ts'
import { insert } from '../../integrations/hooks/install/edit-jsonc.ts'
import { readJsonc } from '../../integrations/hooks/install/jsonc.ts'
import type { Suggestion } from '../../learning/suggest.ts'

/** A configuration file as it is and as it would be. */
export interface Change {
  readonly path: string
  readonly name: string
  readonly before: string
  readonly after: string
}

const NEW = 'exitgate.config.json'

/** Puts other numbers into the user's own file and leaves all else in it as it stands; without a file one is begun. */
export function changeOf(workspace: string, found: Found | undefined, chosen: readonly Suggestion[]): Change {
  if (found === undefined) {
    const after = chosen.reduce((text, { path, to }) => inJson(text, path, to), '{}')
    return {
      path: join(workspace, NEW),
      name: NEW,
      before: '',
      after: `${JSON.stringify(JSON.parse(after), null, 2)}\n`,
    }
  }
  const { path: file, name, text, kind } = found
  const after = chosen.reduce(
    (so, { path, to }) =>
      kind === 'yaml' ? inYaml(so, path, to) : inJson(so, kind === 'package' ? ['exitgate', ...path] : path, to),
    text,
  )
  return { path: file, name, before: text, after }
}

function inYaml(text: string, path: readonly string[], to: number): string {
  const document = parseDocument(text)
  document.setIn(path, to)
  return document.toString({ lineWidth: 0 })
}

function inJson(text: string, path: readonly string[], to: number): string {
  let value = readJsonc(text)
  for (const [at, key] of path.entries()) {
    const item = value.items.find((each) => each.key === key)
    if (item === undefined) {
      const data = path.slice(at + 1).reduceRight<unknown>((inner, name) => ({ [name]: inner }), to)
      return insert(text, value, key, data)
    }
    value = item.value
  }
  return `${text.slice(0, value.start)}${to}${text.slice(value.end)}`
}
