/** Breaks the lines of a text between words where a terminal is too narrow for them. Without a width it stays as it is. */
export function foldText(text: string, columns: number | undefined): string {
  if (columns === undefined) return text
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, columns))
    .join('\n')
}

/** Breaks a long line, and indents the rest: below the text of a list item or a named row, if nothing else is given. */
export function foldLine(line: string, columns: number, indent = hangingIndent(line)): readonly string[] {
  const lines: string[] = []
  for (let rest = line; ; ) {
    const visible = withoutColor(rest)
    const before = visible.lastIndexOf(' ', columns)
    // A word that is wider than the screen stays whole, and the next one starts a new line. So does an indent that is wider.
    const at = before > indent.length ? before : visible.indexOf(' ', Math.max(columns, indent.length))
    if (visible.length <= columns || at < 0) return [...lines, rest]
    const head = new RegExp(`^(?:(?:\\u001b\\[\\d+m)*[^\\u001b]){${at}}`).exec(rest)?.[0] ?? ''
    lines.push(head.trimEnd())
    rest = rest.slice(head.length).replace(' ', indent)
  }
}

const withoutColor = (line: string): string => line.replace(/\u001b\[\d+m/g, '')

const hangingIndent = (line: string): string =>
  ' '.repeat(/^ *(?:- |\S+(?: \S+)? {2,})?/.exec(withoutColor(line))?.[0].length ?? 0)
