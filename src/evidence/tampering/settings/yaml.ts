import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import type { Setting } from './flatten.ts'

/** Deeper than this is no settings file. */
const DEEP = 40

/** YAML, every document of the file. What cannot be read gives what could be read before it. */
export function flattenYaml(text: string): Setting[] {
  const settings: Setting[] = []
  const counter = new LineCounter()
  const lineOf = (node: unknown, otherwise: number) => {
    const range = (node as { range?: readonly number[] | null } | null)?.range
    return range ? counter.linePos(range[0]!).line : otherwise
  }
  const walk = (node: unknown, path: string, above: number): void => {
    if (path.split('.').length > DEEP) return
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : ''
        walk(value, path === '' ? name : `${path}.${name}`, lineOf(key, above))
      }
    } else if (isSeq(node)) node.items.forEach((item, i) => walk(item, `${path}.${i}`, lineOf(item, above)))
    else if (isScalar(node)) {
      const block = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
      settings.push({
        key: path,
        value: String(node.value ?? ''),
        line: block ? lineOf(node, above) + 1 : lineOf(node, above),
      })
    } else if (!isAlias(node)) settings.push({ key: path, value: '', line: above })
  }
  try {
    const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: false })
    for (const document of Array.isArray(documents) ? documents : []) walk(document.contents, '', 1)
  } catch {
    // A half-written file: its lines are still looked at by those who ask for lines.
    return settings
  }
  return settings
}
