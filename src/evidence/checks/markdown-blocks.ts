/** The paragraphs and headings of a Markdown text, as far as a checklist needs them. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly nested: boolean }
  | { readonly kind: 'paragraph'; readonly text: string; readonly line: number; readonly opensItem: boolean }
  | Fenced

/** A fenced block: its language as written, its lines, and the number of the first of them. */
interface Fenced {
  readonly kind: 'code'
  readonly info: string
  readonly lines: string[]
  readonly line: number
}

interface Quote {
  readonly kind: 'quote'
}
interface Item {
  readonly kind: 'item'
  /** How far the item's content is indented from where its marker's container starts. */
  readonly width: number
  empty: boolean
}
type Container = Quote | Item

/** Code and HTML that swallow lines until they close. */
interface Opaque {
  readonly closes: (rest: string) => boolean
  /** The closing line is not part of the block and is read again (a blank line). */
  readonly closesBefore: boolean
  /** What follows the opening fence, and how far that was indented. */
  readonly fence?: { readonly info: string; readonly indent: number }
}
interface Paragraph {
  readonly lines: string[]
  readonly line: number
  readonly opensItem: boolean
}

const BLOCK_TAGS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'
const ATTRIBUTE = `\\s+[A-Za-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`
const ANY_TAG = new RegExp(`^(?:<[A-Za-z][A-Za-z0-9-]*(?:${ATTRIBUTE})*\\s*/?>|</[A-Za-z][A-Za-z0-9-]*\\s*>)\\s*$`)
const BLOCK_TAG = new RegExp(`^</?(?:${BLOCK_TAGS})(?:\\s|/?>|$)`, 'i')

/** Deeper nesting is no plan but an attack on the reader; what lies there is text. */
const DEEPEST = 64

const blank = (rest: string) => /^[ \t]*$/.test(rest)
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const BULLET = /^[-*+](?=[ \t]|$)/
const ORDINAL = /^(\d{1,9})[.)](?=[ \t]|$)/

/** Which HTML starts a block here; a lone tag may not interrupt a paragraph. */
function htmlStart(rest: string, inParagraph: boolean): Opaque | undefined {
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

function fenceStart(rest: string, indent: number): Opaque | undefined {
  if (rest[0] !== '`' && rest[0] !== '~') return undefined
  const open = /^(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(rest)
  if (open === null) return undefined
  const run = (open[1] ?? open[2])!
  const close = new RegExp(`^ {0,3}${run[0]}{${run.length},}[ \\t]*$`)
  const info = rest.slice(run.length).trim()
  return { closes: (text) => close.test(text), closesBefore: false, fence: { info, indent } }
}

/** Without one pattern for the whole line: a megabyte of blanks would keep it busy for hours. */
function headingOf(body: string): { level: number; text: string } | undefined {
  const level = /^#{1,6}(?=[ \t]|$)/.exec(body)?.[0].length
  if (level === undefined) return undefined
  const text = body.slice(level).trim()
  let end = text.length
  while (text[end - 1] === '#') end -= 1
  const closed = end === 0 || text[end - 1] === ' ' || text[end - 1] === '\t'
  return { level, text: closed ? text.slice(0, end).trimEnd() : text }
}

/** Tabs in front of the text stand for columns; those inside it are left alone. */
function expandTabs(line: string): string {
  if (!line.includes('\t')) return line
  const prefix = /^[\s>*+\-0-9.)]*/.exec(line)![0]
  if (!prefix.includes('\t')) return line
  let columns = ''
  for (const char of prefix) columns += char === '\t' ? ' '.repeat(4 - (columns.length % 4)) : char
  return columns + line.slice(prefix.length)
}

/**
 * Walks the block structure of CommonMark (containers, laziness, code, HTML) without building a tree.
 * Inline markup is not read: no box can hide in it that is not also the start of an item's first paragraph.
 */
export function markdownBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  const containers: Container[] = []
  let opaque: Opaque | undefined
  let fenced: Fenced | undefined
  let paragraph: Paragraph | undefined

  const endParagraph = () => {
    if (paragraph !== undefined) {
      const { line, opensItem } = paragraph
      blocks.push({ kind: 'paragraph', text: paragraph.lines.join('\n'), line, opensItem })
    }
    paragraph = undefined
  }
  const closeTo = (depth: number) => {
    if (containers.length === depth) return
    endParagraph()
    opaque = undefined
    containers.length = depth
  }
  const fill = (): boolean => {
    const top = containers.at(-1)
    if (top?.kind !== 'item' || !top.empty) return false
    top.empty = false
    return true
  }
  const startLeaf = (depth: number): boolean => {
    closeTo(depth)
    endParagraph()
    return fill()
  }

  const lines = markdown.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  for (const [index, raw] of lines.entries()) {
    const line = expandTabs(raw)
    let at = 0
    let depth = 0
    for (const container of containers) {
      const rest = line.slice(at)
      if (container.kind === 'quote') {
        const marker = /^ {0,3}> ?/.exec(rest)
        if (marker === null) break
        at += marker[0].length
      } else if (blank(rest)) {
        if (container.empty) break
      } else if (/^ */.exec(rest)![0].length >= container.width) at += container.width
      else break
      depth += 1
    }

    if (opaque !== undefined && depth < containers.length) closeTo(depth)
    if (opaque !== undefined) {
      const closed: boolean = opaque.closes(line.slice(at))
      const again: boolean = closed && opaque.closesBefore
      if (!closed && opaque.fence !== undefined) {
        const margin: number = /^ */.exec(line.slice(at))![0].length
        fenced?.lines.push(line.slice(at + Math.min(margin, opaque.fence.indent)))
      }
      if (closed) opaque = undefined
      if (!again) continue
    }

    let text = false
    for (;;) {
      const rest = line.slice(at)
      if (blank(rest)) break
      const indent = /^ */.exec(rest)![0].length
      if (indent >= 4) {
        if (paragraph === undefined) startLeaf(depth)
        else text = true
        break
      }
      const body = rest.slice(indent)
      const interrupts = paragraph !== undefined && depth === containers.length
      if (depth >= DEEPEST) {
        text = true
        break
      }
      if (body[0] === '>') {
        startLeaf(depth)
        containers.push({ kind: 'quote' })
        depth += 1
        at += indent + (/^> ?/.exec(body)![0].length as number)
        continue
      }
      const heading = headingOf(body)
      if (heading !== undefined) {
        startLeaf(depth)
        blocks.push({ kind: 'heading', ...heading, nested: depth > 0 })
        break
      }
      const started: Opaque | undefined = fenceStart(body, indent) ?? htmlStart(body, paragraph !== undefined)
      if (started !== undefined) {
        startLeaf(depth)
        // A comment may close on the line that opens it; a fence may not.
        if (!body.startsWith('<') || !started.closes(body)) opaque = started
        if (started.fence !== undefined) {
          fenced = { kind: 'code', info: started.fence.info, lines: [], line: index + 2 }
          blocks.push(fenced)
        }
        break
      }
      if (interrupts && /^(?:=+|-+)[ \t]*$/.test(body)) {
        const title: string = paragraph!.lines.join(' ')
        paragraph = undefined
        blocks.push({ kind: 'heading', level: body.startsWith('=') ? 1 : 2, text: title.trim(), nested: depth > 0 })
        break
      }
      if (RULE.test(body)) {
        startLeaf(depth)
        break
      }
      const ordinal = ORDINAL.exec(body)
      const marker = BULLET.exec(body) ?? ordinal
      const after = marker === null ? '' : body.slice(marker[0].length)
      if (marker === null || (interrupts && (blank(after) || (ordinal !== null && Number(ordinal[1]) !== 1)))) {
        text = true
        break
      }
      const gap = /^ */.exec(after)![0].length
      const padding = blank(after) || gap > 4 ? 1 : gap
      startLeaf(depth)
      containers.push({ kind: 'item', width: indent + marker[0].length + padding, empty: true })
      depth += 1
      at = blank(after) ? line.length : at + indent + marker[0].length + padding
    }

    if (!text) {
      if (blank(line.slice(at))) {
        closeTo(depth)
        endParagraph()
      }
      continue
    }
    if (paragraph !== undefined) paragraph.lines.push(line.slice(at))
    else {
      // On the line after its marker an item's text opens it only when it stands flush.
      const opensItem = startLeaf(depth) && line[at] !== ' '
      paragraph = { lines: [line.slice(at).trimStart()], line: index + 1, opensItem }
    }
  }
  endParagraph()
  return blocks
}
