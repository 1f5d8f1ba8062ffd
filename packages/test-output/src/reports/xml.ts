import { SaxesParser } from 'saxes'
import { makeRun } from '../make-run.ts'
import type { Part, TestRun } from '../types.ts'
import { readNunit, readTrx, readXunit } from './dotnet.ts'
import { type Element, hasUnityTests } from './element.ts'
import { readJunit } from './junit.ts'

const readers: readonly ((root: Element) => Part | undefined)[] = [readJunit, readNunit, readXunit, readTrx]

/** An XML report of any known kind. A document with errors is read as far as possible, and never counts as passed. */
export function readXml(text: string): TestRun | undefined {
  const { root, problem } = parseXml(text)
  const part = root === undefined ? undefined : readers.map((reader) => reader(root)).find(Boolean)
  return part && makeRun([part], problem === undefined ? [] : [`The report is not valid XML: ${problem}`])
}

type Open = Element & { readonly attributes: Record<string, string>; readonly children: Open[]; text?: string }

/** Entities are not resolved and nothing is fetched, but a report can still be deep or endless. */
const DEEPEST = 200
/** How much text of these elements is read. */
const LONGEST_TEXT: Readonly<Record<string, number>> = { failure: 20_000, error: 20_000, 'system-out': 1_000_000 }

/** Parses strictly and continues after errors. The problem is the first error; everything before it was read. */
function parseXml(text: string): { root: Element | undefined; problem: string | undefined } {
  const parser = new SaxesParser({ xmlns: false })
  const open: Open[] = []
  let root: Open | undefined
  let problem: string | undefined
  parser.on('error', (error) => {
    problem ??= error.message.split('\n')[0]
  })
  const keepText = (text: string) => {
    const element = open.at(-1)
    const most = LONGEST_TEXT[element?.name ?? '']
    if (element === undefined || most === undefined || (element.text?.length ?? 0) >= most) return
    element.text = `${element.text ?? ''}${text}`.slice(0, most)
  }
  parser.on('text', keepText)
  parser.on('cdata', keepText)
  parser.on('opentag', ({ name, attributes }) => {
    const local = name.slice(name.indexOf(':') + 1)
    const element: Open = { name: local, attributes: { ...attributes }, children: [] }
    if (open.length < DEEPEST) open.at(-1)?.children.push(element)
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
