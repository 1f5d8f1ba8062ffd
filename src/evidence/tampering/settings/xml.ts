import type { Setting } from './flatten.ts'

const MARK =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\?[\s\S]*?\?>|<!(?:[^>]*)>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Elements by the names above them; attributes after an @. No entity is expanded, so that no file can grow. */
export function flattenXml(text: string): Setting[] {
  const settings: Setting[] = []
  const path: string[] = []
  let last = 0
  let line = 1
  let content = ''
  for (const match of text.matchAll(MARK)) {
    content += text.slice(last, match.index) + (match[1] ?? '')
    line += lines(text.slice(last, match.index))
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
    line += lines(mark)
  }
  return settings
}

const lines = (text: string) => text.split('\n').length - 1
