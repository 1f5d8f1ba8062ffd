/** A value of a settings file. */
interface Setting {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** TOML as settings files use it: tables, arrays of tables, dotted keys, multi-line lists, inline tables. */
export function flattenToml(text: string): Setting[] {
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

/** The number of open brackets outside strings. */
function openBrackets(value: string): number {
  const bare = value.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '')
  return (bare.match(/[[{]/g)?.length ?? 0) - (bare.match(/[\]}]/g)?.length ?? 0)
}

function addValue(settings: Setting[], key: string, value: string, line: number): void {
  if (value.startsWith('[') && value.endsWith(']')) {
    const items = itemsIn(value.slice(1, -1))
    for (const [i, item] of items.entries()) addValue(settings, `${key}.${i}`, item, line)
    if (items.length === 0) settings.push({ key, value: '', line })
  } else if (value.startsWith('{') && value.endsWith('}')) {
    for (const item of itemsIn(value.slice(1, -1))) {
      const pair = /^([\w.-]+|"[^"]*")\s*=\s*([\s\S]*)$/.exec(item)
      if (pair) addValue(settings, `${key}.${keyOf(pair[1]!)}`, pair[2]!.trim(), line)
    }
  } else
    settings.push({ key, value: value.replace(/^("""|'''|"|')([\s\S]*)\1$/, '$2').replace(/\\(["\\])/g, '$1'), line })
}

/** The items of a list, split at its own commas only. */
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
