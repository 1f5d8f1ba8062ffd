import { SaxesParser } from 'saxes'
import { hasUnityTests } from './unity.ts'

/** An element. Only the structure of a report is read, and the text of a failure. */
export interface Element {
  /** Without a namespace prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** The beginning of what a failed test says, or of what a program with tests of its own printed. */
  readonly text?: string
}

export interface Parsed {
  readonly root: Element | undefined
  /** The first error in the document. Everything before it was read. */
  readonly problem: string | undefined
}

interface Open {
  readonly name: string
  readonly attributes: Record<string, string>
  readonly children: Open[]
  text?: string
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
/** Entities are not resolved and nothing is fetched, but a report can still be deep or endless. */
const DEEPEST = 200
/** How much text of these elements is read. */
const LONGEST_TEXT: Readonly<Record<string, number>> = { failure: 20_000, error: 20_000, 'system-out': 1_000_000 }

/** Parses strictly and continues after errors: a broken report still shows its failures, but never counts as passed. */
export function parseXml(text: string): Parsed {
  const parser = new SaxesParser({ xmlns: false })
  const open: Open[] = []
  let root: Open | undefined
  let problem: string | undefined
  parser.on('error', (error) => {
    problem ??= error.message.split('\n')[0]
  })
  const keepText = (text: string) => {
    const element = open[open.length - 1]
    const most = element === undefined ? undefined : LONGEST_TEXT[element.name]
    if (element === undefined || most === undefined || (element.text?.length ?? 0) >= most) return
    element.text = `${element.text ?? ''}${text}`.slice(0, most)
  }
  parser.on('text', keepText)
  parser.on('cdata', keepText)
  parser.on('opentag', ({ name, attributes }) => {
    const element: Open = { name: localName(name), attributes: { ...attributes }, children: [] }
    const parent = open[open.length - 1]
    if (parent !== undefined && open.length < DEEPEST) parent.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => {
    const closed = open.pop()
    // What tests printed can be large, and few reports need it.
    if (closed?.name === 'system-out' && !hasUnityTests(closed.text ?? '')) delete closed.text
  })
  // The standard allows nothing before the declaration, but runners and shells put line ends and byte order marks there.
  const document = text.slice(Math.max(0, text.search(/<(?:\?xml|!|[A-Za-z_])/)))
  try {
    parser.write(document).close()
  } catch (error) {
    problem ??= (error as Error).message
  }
  return { root, problem }
}

export function* descendants(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (child.name === name) yield child
    yield* descendants(child, name)
  }
}

export const numberOf = (element: Element, attribute: string): number => {
  const value = Number(element.attributes[attribute])
  return Number.isFinite(value) && value > 0 ? Math.floor(value) : 0
}

export const child = (element: Element, name: string): Element | undefined =>
  element.children.find((one) => one.name === name)
