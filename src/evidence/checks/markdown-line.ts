/** Code and HTML that contain every line until they close. */
export interface Opaque {
  readonly closes: (rest: string) => boolean
  /** The closing line is not part of the block and is read again (a blank line). */
  readonly closesBefore: boolean
  /** What follows the opening fence, and how far the fence was indented. */
  readonly fence?: { readonly info: string; readonly indent: number }
}
const BLOCK_TAGS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'
const ATTRIBUTE = `\\s+[A-Za-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`
const ANY_TAG = new RegExp(`^(?:<[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})*\\s*/?>|</[A-Za-z][A-Za-z0-9-]*\\s*>)\\s*$`)
const BLOCK_TAG = new RegExp(`^</?(?:${BLOCK_TAGS})(?:\\s|/?>|$)`, 'i')

export const blank = (rest: string) => /^[ \t]*$/.test(rest)
export const indentOf = (rest: string) => /^ */.exec(rest)![0].length
export const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
export const BULLET = /^[-*+](?=[ \t]|$)/
export const ORDINAL = /^(\d{1,9})[.)](?=[ \t]|$)/

/** Which HTML starts a block here; a lone tag may not interrupt a paragraph. */
export function htmlStart(rest: string, inParagraph: boolean): Opaque | undefined {
  if (rest[0] !== '<') return undefined
  const until = (end: RegExp): Opaque => ({ closes: (text) => end.test(text), closesBefore: false })
  if (/^<(?:script|pre|style|textarea)(?:\s|>|$)/i.test(rest)) return until(/<\/(?:script|pre|style|textarea)>/i)
  if (rest.startsWith('<!--')) return until(/-->/)
  if (rest.startsWith('<?')) return until(/\?>/)
  if (rest.startsWith('<![CDATA[')) return until(/\]\]>/)
  if (/^<![A-Za-z]/.test(rest)) return until(/>/)
  const untilBlank: Opaque = { closes: blank, closesBefore: true }
  if (BLOCK_TAG.test(rest)) return untilBlank
  return !inParagraph && ANY_TAG.test(rest) ? untilBlank : undefined
}

export function fenceStart(rest: string, indent: number): Opaque | undefined {
  if (rest[0] !== '`' && rest[0] !== '~') return undefined
  const open = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(rest)
  if (open === null) return undefined
  const run = (open[1] ?? open[2])!
  const close = new RegExp(`^ {0,3}${run[0]}{${run.length},}[ \\t]*$`)
  const info = rest.slice(run.length).trim()
  return { closes: (text) => close.test(text), closesBefore: false, fence: { info, indent } }
}

/** Not one pattern for the entire line: a megabyte of blanks would keep it busy for hours. */
export function headingOf(body: string): { level: number; text: string } | undefined {
  const level = /^#{1,6}(?=[ \t]|$)/.exec(body)?.[0].length
  if (level === undefined) return undefined
  const text = body.slice(level).trim()
  let end = text.length
  while (text[end - 1] === '#') end -= 1
  const closed = end === 0 || text[end - 1] === ' ' || text[end - 1] === '\t'
  return { level, text: closed ? text.slice(0, end).trimEnd() : text }
}

/** Expands tabs in front of the text to columns; leaves those inside it alone. */
export function expandTabs(line: string): string {
  if (!line.includes('\t')) return line
  const prefix = /^[\s>*+\-0-9.)]*/.exec(line)![0]
  if (!prefix.includes('\t')) return line
  let columns = ''
  for (const char of prefix) columns += char === '\t' ? ' '.repeat(4 - (columns.length % 4)) : char
  return columns + line.slice(prefix.length)
}
