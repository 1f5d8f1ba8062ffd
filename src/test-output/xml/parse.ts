import { SaxesParser } from 'saxes'

/** An element without its text: only the structure of a report is read. */
export interface Element {
  /** Without a namespace prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
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
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
/** Entities are not resolved and nothing is fetched, but a report can still be deep or endless. */
const DEEPEST = 200

/** Parses strictly and continues after errors: a broken report still shows its failures, but never counts as passed. */
export function parseXml(text: string): Parsed {
  const parser = new SaxesParser({ xmlns: false })
  const open: Open[] = []
  let root: Open | undefined
  let problem: string | undefined
  parser.on('error', (error) => {
    problem ??= error.message.split('\n')[0]
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Open = { name: localName(name), attributes: { ...attributes }, children: [] }
    const parent = open[open.length - 1]
    if (parent !== undefined && open.length < DEEPEST) parent.children.push(element)
    root ??= element
    open.push(element)
  })
  parser.on('closetag', () => {
    open.pop()
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
