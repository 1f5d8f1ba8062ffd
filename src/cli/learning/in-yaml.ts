import { type Document, isMap, isScalar, parseDocument, type YAMLMap } from 'yaml'

/** The text with another number at a path, and every other byte as it was; undefined where that is not sure to be possible. */
export function inYaml(text: string, path: readonly string[], to: number): string | undefined {
  const document = parseDocument(text)
  const there = document.getIn(path, true)
  if (isScalar(there) && there.range) return `${text.slice(0, there.range[0])}${to}${text.slice(there.range[1])}`
  return there === undefined ? added(text, document, path, to) : undefined
}

/** As the first entry of the innermost section that is there: a comment before it stays before all of them. */
function added(text: string, document: Document, path: readonly string[], to: number): string | undefined {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  if (document.contents === null) {
    const own = text === '' || text.endsWith('\n') ? '' : end
    return `${text}${own}${entry(path, to)}${end}`
  }
  const [section, rest] = innermost(document, path)
  const at = section && firstKey(section)
  if (section === undefined || at === undefined) return undefined
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
  if (!section.flow && /\S/.test(before.replace(/^\uFEFF/, ''))) return undefined
  const between = section.flow ? ', ' : `${end}${before.replace(/^\uFEFF/, '')}`
  return `${text.slice(0, at)}${entry(rest, to)}${between}${text.slice(at)}`
}

function innermost(document: Document, path: readonly string[]): readonly [YAMLMap | undefined, readonly string[]] {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const found = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
    if (found !== undefined) return [isMap(found) ? found : undefined, path.slice(depth)]
  }
  return [undefined, path]
}

function firstKey({ items: [first] }: YAMLMap): number | undefined {
  return isScalar(first?.key) ? first.key.range?.[0] : undefined
}

const entry = ([key = '', ...below]: readonly string[], to: number): string =>
  below.length === 0 ? `${key}: ${to}` : `${key}: { ${entry(below, to)} }`
