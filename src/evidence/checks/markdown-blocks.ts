import {
  BULLET,
  blank,
  expandTabs,
  fenceStart,
  headingOf,
  htmlStart,
  indentOf,
  type Opaque,
  ORDINAL,
  RULE,
} from './markdown-line.ts'

/** The paragraphs and headings of a Markdown text, as far as a checklist needs them. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string; readonly nested: boolean }
  | { readonly kind: 'paragraph'; readonly text: string; readonly line: number; readonly opensItem: boolean }
  | Fenced

/** A fenced block: its language as written, its lines, and the number of the first line. */
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
  /** How far the item's content is indented from the start of its marker's container. */
  readonly width: number
  empty: boolean
}
type Container = Quote | Item

interface Paragraph {
  readonly lines: string[]
  readonly line: number
  readonly opensItem: boolean
}

/** Deeper nesting is an attack on the reader, not a plan. It is read as text. */
const DEEPEST = 64

/**
 * Walks the block structure of CommonMark (containers, laziness, code, HTML) without building a tree. Inline markup is not parsed:
 * a box is only ever at the start of an item's first paragraph.
 */
export function markdownBlocks(markdown: string): Block[] {
  const reader = new BlockReader()
  const lines = markdown.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  for (const [index, line] of lines.entries()) reader.readLine(expandTabs(line), index + 1)
  reader.endParagraph()
  return reader.blocks
}

class BlockReader {
  readonly blocks: Block[] = []
  private readonly containers: Container[] = []
  private opaque: Opaque | undefined
  private fenced: Fenced | undefined
  private paragraph: Paragraph | undefined
  /** The current line, how far it was read, and how many containers it is in so far. */
  private line = ''
  private number = 0
  private at = 0
  private depth = 0

  readLine(line: string, number: number): void {
    this.line = line
    this.number = number
    this.at = 0
    this.depth = 0
    this.enterContainers()
    if (this.opaque !== undefined && this.depth < this.containers.length) this.closeContainers()
    if (this.opaque !== undefined && this.readOpaque(this.opaque)) return
    if (this.startBlocks()) this.addText()
    else if (blank(this.rest())) {
      this.closeContainers()
      this.endParagraph()
    }
  }

  endParagraph(): void {
    if (this.paragraph !== undefined) {
      const { lines, line, opensItem } = this.paragraph
      this.blocks.push({ kind: 'paragraph', text: lines.join('\n'), line, opensItem })
    }
    this.paragraph = undefined
  }

  private rest(): string {
    return this.line.slice(this.at)
  }

  /** The open containers that the line continues. */
  private enterContainers(): void {
    for (const container of this.containers) {
      const rest = this.rest()
      if (container.kind === 'quote') {
        const marker = /^ {0,3}> ?/.exec(rest)
        if (marker === null) return
        this.at += marker[0].length
      } else if (blank(rest)) {
        if (container.empty) return
      } else if (indentOf(rest) >= container.width) this.at += container.width
      else return
      this.depth += 1
    }
  }

  /** Whether the line belongs to the open code or HTML block. */
  private readOpaque(opaque: Opaque): boolean {
    const rest = this.rest()
    const closed = opaque.closes(rest)
    if (closed) this.opaque = undefined
    else if (opaque.fence !== undefined)
      this.fenced?.lines.push(rest.slice(Math.min(indentOf(rest), opaque.fence.indent)))
    return !closed || !opaque.closesBefore
  }

  /** Opens the containers and the block that start on this line; true if paragraph text remains. */
  private startBlocks(): boolean {
    for (let rest = this.rest(); !blank(rest); rest = this.rest()) {
      const indent = indentOf(rest)
      if (indent >= 4) {
        if (this.paragraph !== undefined) return true
        this.startLeaf()
        return false
      }
      if (this.depth >= DEEPEST) return true
      const body = rest.slice(indent)
      if (body[0] === '>') {
        this.open({ kind: 'quote' })
        this.at += indent + /^> ?/.exec(body)![0].length
      } else if (this.readLeaf(body, indent)) return false
      else if (!this.openItem(body, indent)) return true
    }
    return false
  }

  /** Whether this line may continue a paragraph. */
  private continued(): Paragraph | undefined {
    return this.depth === this.containers.length ? this.paragraph : undefined
  }

  /** A heading, the start of code or HTML, or a thematic break. */
  private readLeaf(body: string, indent: number): boolean {
    const nested = this.depth > 0
    const heading = headingOf(body)
    if (heading !== undefined) {
      this.startLeaf()
      this.blocks.push({ kind: 'heading', ...heading, nested })
      return true
    }
    const started = fenceStart(body, indent) ?? htmlStart(body, this.paragraph !== undefined)
    if (started !== undefined) {
      this.startLeaf()
      // A comment may close on the line that opens it; a fence may not.
      if (!body.startsWith('<') || !started.closes(body)) this.opaque = started
      if (started.fence !== undefined) {
        this.fenced = { kind: 'code', info: started.fence.info, lines: [], line: this.number + 1 }
        this.blocks.push(this.fenced)
      }
      return true
    }
    const title = this.continued()
    if (title !== undefined && /^(?:=+|-+)[ \t]*$/.test(body)) {
      this.paragraph = undefined
      const level = body.startsWith('=') ? 1 : 2
      this.blocks.push({ kind: 'heading', level, text: title.lines.join(' ').trim(), nested })
      return true
    }
    if (!RULE.test(body)) return false
    this.startLeaf()
    return true
  }

  /** An empty item, and a number other than 1, may not interrupt a paragraph. */
  private openItem(body: string, indent: number): boolean {
    const ordinal = ORDINAL.exec(body)
    const marker = (BULLET.exec(body) ?? ordinal)?.[0]
    if (marker === undefined) return false
    const after = body.slice(marker.length)
    const mayInterrupt = !blank(after) && (ordinal === null || Number(ordinal[1]) === 1)
    if (this.continued() !== undefined && !mayInterrupt) return false
    const gap = indentOf(after)
    const width = indent + marker.length + (blank(after) || gap > 4 ? 1 : gap)
    this.open({ kind: 'item', width, empty: true })
    this.at = blank(after) ? this.line.length : this.at + width
    return true
  }

  private addText(): void {
    if (this.paragraph !== undefined) {
      this.paragraph.lines.push(this.rest())
      return
    }
    // On the line after its marker, text starts an item only if it is not indented.
    const opensItem = this.startLeaf() && this.line[this.at] !== ' '
    this.paragraph = { lines: [this.rest().trimStart()], line: this.number, opensItem }
  }

  private open(container: Container): void {
    this.startLeaf()
    this.containers.push(container)
    this.depth += 1
  }

  /** Closes what the line does not continue; true if it is the first content of an item. */
  private startLeaf(): boolean {
    this.closeContainers()
    this.endParagraph()
    const top = this.containers.at(-1)
    if (top?.kind !== 'item' || !top.empty) return false
    top.empty = false
    return true
  }

  private closeContainers(): void {
    if (this.containers.length === this.depth) return
    this.endParagraph()
    this.opaque = undefined
    this.containers.length = this.depth
  }
}
