import { wrap } from './help.ts'

const WIDTH = 80

/** Markdown as text for a terminal: wrapped, with aligned tables and indented code. */
export function markdownText(markdown: string, { color }: { readonly color: boolean }): string {
  const bold = (text: string): string => (color ? `\u001b[1m${text}\u001b[22m` : text)
  const dim = (text: string): string => (color ? `\u001b[36m${text}\u001b[39m` : text)
  const out: string[] = []
  const lines = markdown.replace(/<!--[\s\S]*?-->/g, '').split('\n')
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const take = (more: (line: string) => boolean): readonly string[] => {
      const from = at
      do at += 1
      while (at < lines.length && more(lines[at] ?? ''))
      return lines.slice(from, at)
    }
    if (line.startsWith('```')) {
      const code = take((next) => !next.startsWith('```')).slice(1)
      at += 1
      out.push(...code.map((each) => dim(`    ${each}`)))
    } else if (/^#{1,6} /.test(line)) {
      out.push(bold(inline(line.replace(/^#+ /, ''))))
      at += 1
    } else if (line.startsWith('|')) out.push(...table(take((next) => next.startsWith('|'))))
    else if (/^ {4}/.test(line)) out.push(...take((next) => /^ {4}/.test(next)).map(dim))
    else if (line.trim() === '') {
      if (out.length > 0 && out.at(-1) !== '') out.push('')
      at += 1
    } else out.push(...paragraph(take((next) => next.trim() !== '' && !/^(?:```|#|\||\s*(?:[-*]|\d+\.) )/.test(next))))
  }
  return `${out.join('\n').trimEnd()}\n`
}

/** A paragraph, or an item of a list with its following lines indented. */
function paragraph(lines: readonly string[]): readonly string[] {
  const text = lines.map((line) => line.trim()).join(' ')
  const [, indent = '', mark = ''] = /^(\s*)((?:[-*]|\d+\.) )?/.exec(lines[0] ?? '') ?? []
  const margin = ' '.repeat(indent.length + mark.length)
  const body = wrap(inline(text.slice(mark.length)), WIDTH - margin.length)
  return body.map((line, at) => (at === 0 ? `${indent}${mark}${line}` : `${margin}${line}`))
}

const inline = (text: string): string =>
  text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\((https?:[^)]*)\)/g, '$1 ($2)')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
    .replace(/<\/?[a-z][^>]*>/g, '')
    .replaceAll('\\|', '|')
    .replaceAll('\\<', '<')

/** Aligned columns if they fit, else one block per row. */
function table(lines: readonly string[]): readonly string[] {
  const rows = lines
    .filter((line) => !/^\|[\s|:-]+\|?$/.test(line))
    .map((line) =>
      line
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => inline(cell.trim())),
    )
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const last = head.length - 1
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + 2, 0)
  if (before <= WIDTH / 2)
    return rows.flatMap((row) => {
      const start = row.slice(0, last).map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2))
      const [first = '', ...rest] = wrap(row[last] ?? '', WIDTH - before)
      return [`${start.join('')}${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(before) + line)]
    })
  return rows.slice(1).flatMap((row) => [
    ...wrap(row[0] ?? '', WIDTH),
    ...row.slice(1).flatMap((cell, at) => {
      const name = head[at + 1] ? `${head[at + 1]}: ` : ''
      return cell === '' ? [] : wrap(`${name}${cell}`, WIDTH - 4).map((line) => `    ${line}`)
    }),
  ])
}
