import type { Setting } from './flatten.ts'

/** INI as Python's tools read it: sections, and values that go on in indented lines. */
export function flattenIni(text: string): Setting[] {
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
export function flattenProperties(text: string): Setting[] {
  return text.split('\n').flatMap((line, i): Setting[] => {
    const pair = /^\s*(?:export\s+)?([\w.:@/-]+)\s*[=:]\s*(.*?)\s*$/.exec(line)
    return pair && !/^\s*[#!;]/.test(line)
      ? [{ key: pair[1]!, value: pair[2]!.replace(/^(["'])(.*)\1$/, '$2'), line: i + 1 }]
      : []
  })
}
