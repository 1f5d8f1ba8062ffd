import { readPlainText } from './index.ts'
import { addRuns } from './make-run.ts'
import { plain } from './streams.ts'
import type { TestRun } from './types.ts'

const ROOT = '(?:[\\w-]+:)?(?:testsuites?|test-run|test-results|test-suite|assembl(?:y|ies)|TestRun)\\b'
const XML = new RegExp(`^\\s*<(?:\\?xml|!--|!DOCTYPE|${ROOT})`)
/** An XML report that a runner printed between other lines. */
const PRINTED_XML = new RegExp(`^<\\?xml [^>]*\\?>\\s*<${ROOT}`, 'm')

/** Reads a report in XML, TAP or JSON. The text decides which, because file names can be anything. */
export async function readTestReport(name: string, text: string): Promise<TestRun | undefined> {
  // Without a plan, TAP needs its version line.
  const head = /\.tap$/i.test(name) && !/^(?:TAP version|1\.\.)/im.test(text) ? 'TAP version 13\n' : ''
  return readContent(head + plain(text))
}

async function readContent(content: string): Promise<TestRun | undefined> {
  if (XML.test(content)) {
    // Loaded on demand: most decisions need no parser.
    const { readXml } = await import('./reports/xml.ts')
    return readXml(content)
  }
  return readPlainText(content)
}

/**
 * In evidence that a user provides, lines with words like `OK` and `Error` are a hint. A command's output is full of them, and no
 * line of a log is a test.
 */
const summed = (run: TestRun | undefined): TestRun | undefined => (run?.framework === 'lines' ? undefined : run)

/** Like `readTestOutput`, and also reads XML and TAP that a runner printed instead of writing it to a file. */
export async function readAnyOutput(output: string): Promise<TestRun | undefined> {
  const text = plain(output)
  if (XML.test(text)) return readContent(text)
  const printed = PRINTED_XML.exec(text)
  if (printed === null) return summed(readPlainText(text))
  const end = text.lastIndexOf('>')
  const report = await readContent(text.slice(printed.index, end + 1))
  const rest = summed(readPlainText(`${text.slice(0, printed.index)}\n${text.slice(end + 1)}`))
  return addRuns([report, rest].filter((run) => run !== undefined))
}
