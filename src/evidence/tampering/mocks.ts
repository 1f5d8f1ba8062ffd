import { findAssertions } from './assertions/find.ts'
import type { Change, Changes } from './changes.ts'
import { addedLines } from './changes.ts'
import type { TamperFinding } from './finding.ts'
import { short } from './finding.ts'
import { readTestFile } from './tests/read.ts'

const MODULE_MOCK = /\b(?:vi|jest) \. (?:mock|doMock|unstable_mockModule) \( "([^"]+)"/
const ATTRIBUTE_MOCK =
  /\b(?:patch|setattr)(?: \. object)? \( (?:"([\w.]+)"|[\w.\s]+ , "(\w+)")|\breceive \( :(\w+)|\breceive :(\w+)|\bspyOn \( [\w.\s]+ , "(\w+)" \) \. mock(?:Return|Resolved|Implementation)/
const CLASS_MOCK =
  /\b(?:mock|spy|createMock|createStub|mockk|Mockito \. mock) (?:< (\w+) > )?\( ?(?:(\w+) (?:\. class|:: class))?|\bnew Mock < (\w+) >|\bSubstitute \. For < (\w+) >|@ Mock(?: \( [^)]* \))? (?:private )?(\w+)\b|\bgetMockBuilder \( (\w+) ::/

/** A test that mocks the code it should test checks only the mock. */
export function mockFindings(changes: Changes): TamperFinding[] {
  return changes.tests.flatMap((change) =>
    change.after === undefined || change.language === undefined ? [] : mocksIn(change),
  )
}

function mocksIn(change: Change): TamperFinding[] {
  if (!/mock|patch|spy|receive|stub|substitute|setattr/i.test(change.after!)) return []
  const unit = stem(change.path)
  const finding = (line: number, text: string, what: string): TamperFinding => ({
    kind: 'unit-mocked',
    severity: 'warn',
    file: change.path,
    line,
    after: short(text),
    detail: `This test mocks ${what}, the code it should test. Use the real code.`,
  })
  const subjects = () => assertedSubjects(change)
  return addedLines(change).flatMap(({ text, line }): TamperFinding[] => {
    const module = MODULE_MOCK.exec(text)?.[1]
    if (module !== undefined)
      return stem(module) === unit &&
        /^[.~@#]/.test(module) &&
        !/(?:importActual|requireActual|importOriginal)/.test(change.after!)
        ? [finding(line, text, module)]
        : []
    const classMock = CLASS_MOCK.exec(text)
    const type = classMock?.slice(1).find((each) => each !== undefined)
    if (type !== undefined)
      return type.toLowerCase() === unit && !/@ (?:InjectMocks|Spy)\b/.test(text) ? [finding(line, text, type)] : []
    const found = ATTRIBUTE_MOCK.exec(text)
      ?.slice(1)
      .find((each) => each !== undefined)
    const attribute = found?.split('.').at(-1)
    return attribute !== undefined &&
      subjects().some((subject) => new RegExp(`(?:^|[\\s.])${attribute}(?: \\(|$)`).test(subject))
      ? [finding(line, text, attribute)]
      : []
  })
}

/** The subjects of the assertions in a file. */
function assertedSubjects({ path, after }: Change): string[] {
  const file = readTestFile(path, after!)
  return file
    ? file.tests.flatMap(({ body }) =>
        body
          ? findAssertions(file.unit, body)
              .filter(({ matcher }) => !/called|received/i.test(matcher))
              .map(({ subject }) => subject)
          : [],
      )
    : []
}

const stem = (path: string) =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.(?:[cm]?[jt]sx?|py|rb|java|kt|cs|php|go|rs)$/, '')
    .replace(/(?:[._-](?:test|tests|spec|specs))+$|^(?:test|tests)[._-]|(?:Tests?|Specs?|IT)$|_(?:test|spec)$/g, '')
    .toLowerCase()
