import type { TestRun } from '../../packages/test-output/src/types.ts'
import { readPlainText } from './index.ts'
import { addRuns } from './make-run.ts'
import { plain } from './streams.ts'

const ROOT = '(?:[\\w-]+:)?(?:testsuites?|test-run|test-results|test-suite|assembl(?:y|ies)|TestRun)\\b'
const XML = new RegExp(`^\\s*<(?:\\?xml|!--|!DOCTYPE|${ROOT})`)
/** An XML report that a runner printed between other lines. */
const PRINTED_XML = new RegExp(`^<\\?xml [^>]*\\?>\\s*<${ROOT}`, 'm')
const TAP = /^\s*(?:TAP version \d+|1\.\.\d+)/i

/**
 * Reads a report in XML, TAP or JSON. The text decides which, because file names can be anything. The parsers are loaded on demand,
 * because most decisions need none of them.
 */
export async function readTestReport(name: string, text: string): Promise<TestRun | undefined> {
  return readContent(name, plain(text))
}

async function readContent(name: string, content: string): Promise<TestRun | undefined> {
  if (XML.test(content)) {
    const { readXml } = await import('./xml/index.ts')
    return readXml(content)
  }
  if (TAP.test(content) || /\.tap$/i.test(name)) {
    const { readTap } = await import('./tap-report.ts')
    return readTap(content)
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
  if (XML.test(text)) return readContent('output', text)
  const printed = PRINTED_XML.exec(text)
  if (printed === null) return summed(readPlainText(text))
  const end = text.lastIndexOf('>')
  const report = await readContent('output', text.slice(printed.index, end + 1))
  const rest = summed(readPlainText(`${text.slice(0, printed.index)}\n${text.slice(end + 1)}`))
  return addRuns([report, rest].filter((run) => run !== undefined))
}
