import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import type { Setting } from '../types.ts'
import { flattenJson, flattenObjects } from './flatten-objects.ts'

const FORMATS: readonly [RegExp, (text: string) => Setting[]][] = [
  [/\.jsonc?$|(?:^|\/)\.(?:nycrc|c8rc|mocharc|swcrc|babelrc)$/, flattenJson],
  [/\.(?:json5|[cm]?[jt]s)$/, flattenObjects],
  [/\.toml$/, flattenToml],
  [/\.(?:ini|cfg|coveragerc)$|(?:^|\/)\.coveragerc$/, flattenIni],
  [/\.(?:xml|xml\.dist|csproj|props|runsettings|dist)$/, flattenXml],
  [/\.ya?ml$|(?:^|\/)\.taprc$/, flattenYaml],
  [/\.properties$|(?:^|\/)(?:\.npmrc|\.env[\w.]*)$/, flattenProperties],
]

/** Every value of a settings file whose form we know; nothing for other files. Never throws. */
export function flatten(path: string, text: string): Setting[] {
  return FORMATS.find(([pattern]) => pattern.test(path))?.[1](text) ?? []
}

/** Deeper than this is no settings file. */
const DEEP = 40

/** YAML, every document of the file. What cannot be read gives what could be read before it. */
function flattenYaml(text: string): Setting[] {
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

const MARK =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!(?:[^>]*)>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Elements by the names above them; attributes after an @. No entity is expanded, so that no file can grow. */
function flattenXml(text: string): Setting[] {
  const settings: Setting[] = []
  const path: string[] = []
  let last = 0
  let line = 1
  let content = ''
  for (const match of text.matchAll(MARK)) {
    content += text.slice(last, match.index) + (match[1] ?? '')
    line += lineBreaks(text.slice(last, match.index))
    last = match.index + match[0].length
    const [mark, , closes, name, attributes, single] = match
    if (name !== undefined) {
      if (closes === '/') {
        const value = content.trim()
        if (path.at(-1) === name && value !== '') settings.push({ key: path.join('.'), value, line })
        // A plugin is known by its id, which stands before its settings.
        if (name === 'artifactId' && path.at(-2) === 'plugin') path[path.length - 2] = `plugin(${value})`
        const at = path.findLastIndex((part) => part === name || part.startsWith(`${name}(`))
        if (at >= 0) path.length = at
      } else {
        path.push(name)
        for (const each of attributes!.matchAll(ATTRIBUTE))
          settings.push({ key: `${path.join('.')}@${each[1]}`, value: each[2] ?? each[3] ?? '', line })
        if (single === '/') path.pop()
      }
      content = ''
    }
    line += lineBreaks(mark)
  }
  return settings
}

const lineBreaks = (text: string) => text.split('\n').length - 1

/** INI as Python's tools read it: sections, and values that go on in indented lines. */
function flattenIni(text: string): Setting[] {
  const settings: { key: string; value: string; line: number }[] = []
  let section = ''
  let current: (typeof settings)[number] | undefined
  text.split('\n').forEach((raw, i) => {
    const line = raw.replace(/\r$/, '')
    if (/^\s*[#;]/.test(line)) return
    const head = /^\[([^\]]+)\]/.exec(line)
    if (head) {
      section = head[1]!.trim()
      current = undefined
    } else if (/^\s+\S/.test(line) && current) current.value += `${current.value === '' ? '' : '\n'}${line.trim()}`
    else {
      const pair = /^([\w.:-][^=:]*?)\s*[=:]\s*(.*)$/.exec(line)
      current = undefined
      if (!pair) return
      current = { key: section === '' ? pair[1]! : `${section}.${pair[1]!}`, value: pair[2]!.trim(), line: i + 1 }
      settings.push(current)
    }
  })
  return settings
}

/** `key=value` lines. */
function flattenProperties(text: string): Setting[] {
  return text.split('\n').flatMap((line, i): Setting[] => {
    const pair = /^\s*(?:export\s+)?([\w.:@/-]+)\s*[=:]\s*(.*?)\s*$/.exec(line)
    return pair && !/^\s*[#!;]/.test(line)
      ? [{ key: pair[1]!, value: pair[2]!.replace(/^(["'])(.*)\1$/, '$2'), line: i + 1 }]
      : []
  })
}

/** TOML as settings use it: tables, arrays of tables, dotted keys, lists over several lines, inline tables. */
function flattenToml(text: string): Setting[] {
  const settings: Setting[] = []
  const lines = text.split('\n')
  const counts = new Map<string, number>()
  let table = ''
  for (let i = 0; i < lines.length; i++) {
    const line = withoutComment(lines[i]!)
    const list = /^\s*\[\[\s*(.+?)\s*\]\]\s*$/.exec(line)
    const head = /^\s*\[\s*(.+?)\s*\]\s*$/.exec(line)
    if (list) {
      const name = keyOf(list[1]!)
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      table = `${name}.${count}`
    } else if (head) table = keyOf(head[1]!)
    else {
      const pair = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=\s*(.*)$/.exec(line)
      if (!pair) continue
      const start = i + 1
      let value = pair[2]!.trim()
      const quote = /^("""|''')/.exec(value)?.[1]
      if (quote) while (!value.slice(3).includes(quote) && i + 1 < lines.length) value += `\n${lines[++i]}`
      else while (openBrackets(value) > 0 && i + 1 < lines.length) value += ` ${withoutComment(lines[++i]!).trim()}`
      addValue(settings, table === '' ? keyOf(pair[1]!) : `${table}.${keyOf(pair[1]!)}`, value.trim(), start)
    }
  }
  return settings
}

const keyOf = (text: string) =>
  text
    .split(/\s*\.\s*(?=(?:[^"']|"[^"]*"|'[^']*')*$)/)
    .map((part) => part.replace(/^["']|["']$/g, ''))
    .join('.')

function withoutComment(line: string): string {
  let quote = ''
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '#') return line.slice(0, i)
  }
  return line
}

/** Brackets that are still open, strings left out. */
function openBrackets(value: string): number {
  const bare = value.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '')
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0)
}

function addValue(settings: Setting[], key: string, value: string, line: number): void {
  if (value.startsWith('[') && value.endsWith(']')) {
    const items = itemsIn(value.slice(1, -1))
    items.forEach((item, i) => addValue(settings, `${key}.${i}`, item, line))
    if (items.length === 0) settings.push({ key, value: '', line })
  } else if (value.startsWith('{') && value.endsWith('}')) {
    for (const item of itemsIn(value.slice(1, -1))) {
      const pair = /^([\w.-]+|"[^"]*")\s*=\s*([\s\S]*)$/.exec(item)
      if (pair) addValue(settings, `${key}.${keyOf(pair[1]!)}`, pair[2]!.trim(), line)
    }
  } else
    settings.push({ key, value: value.replace(/^("""|'''|"|')([\s\S]*)\1$/, '$2').replace(/\\(["\\])/g, '$1'), line })
}

/** Items between the commas of one level. */
function itemsIn(text: string): string[] {
  const found: string[] = []
  let depth = 0
  let quote = ''
  let from = 0
  for (let i = 0; i <= text.length; i++) {
    const char = text[i]
    if (char === undefined || (char === ',' && depth === 0 && quote === '')) {
      const item = text.slice(from, i).trim()
      if (item !== '') found.push(item)
      from = i + 1
    } else if (quote !== '') {
      if (char === quote && text[i - 1] !== '\\') quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
  }
  return found
}
