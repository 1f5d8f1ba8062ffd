import type { Language } from '../../test-files.ts'
import type { Change } from '../changes.ts'
import { short } from '../findings.ts'
import { plain } from '../source/token.ts'
import { below, readUnit } from '../source/unit.ts'
import type { TamperFinding } from '../types.ts'

/** A function that a test runner calls, and when its body defeats the tests. */
interface OverrideRule {
  readonly name: RegExp
  readonly language?: Language
  readonly bad: (body: string) => boolean
  readonly says: string
}

const RULES: readonly OverrideRule[] = [
  {
    name: /^TestMain$/,
    language: 'go',
    bad: (body) => !/\bm \. Run \(/.test(body),
    says: 'TestMain does not run the tests.',
  },
  {
    name: /^handleTestExecutionException$/,
    bad: (body) => !/\bthrow\b/.test(body),
    says: 'An extension swallows what tests throw.',
  },
  {
    name: /^evaluateExecutionCondition$/,
    bad: (body) => /\bdisabled \(/.test(body) && !/\bif\b/.test(body),
    says: 'An extension switches tests off.',
  },
  {
    name: /^__(?:eq|ne)__$/,
    language: 'python',
    bad: (body) => /^return (?:True|False) ?;?$/.test(body.trim()),
    says: 'An object that equals everything makes every comparison true.',
  },
  {
    name: /^pytest_collection_modifyitems$/,
    bad: (body) => /mark \. (?:skip|xfail)\b/.test(body) && !/getoption|\bif\b/.test(body),
    says: 'Every collected test is skipped.',
  },
  {
    name: /^expect$/,
    language: 'javascript',
    bad: (body) => !/\b(?:throw|fail|Error|assert|expect)\b/.test(body),
    says: 'An expect of its own asserts nothing.',
  },
  {
    name: /^to(?:Be|Equal|StrictEqual|Match|Contain|Throw|HaveLength|BeTruthy|HaveBeenCalledWith)$/,
    language: 'javascript',
    bad: (body) => /pass : true/.test(body),
    says: 'A matcher of the runner is replaced by one that always passes.',
  },
]
const NAMES =
  /\b(?:expect\s*=|function\s+expect|TestMain|handleTestExecutionException|evaluateExecutionCondition|__eq__|__ne__|pytest_collection_modifyitems)\b|\bto[A-Z]\w+\s*[(:][^\n]*\{/

/** Functions of the runner that the project overrides with a body that defeats the tests. */
export function overriddenFunctions({ path, before, after, language }: Change): TamperFinding[] {
  if (!NAMES.test(after!)) return []
  const had = new Set(before === undefined ? [] : bodies(before, language!).map(({ name, body }) => `${name} ${body}`))
  return bodies(after!, language!).flatMap(({ name, body, line, head }): TamperFinding[] => {
    const rule = RULES.find(
      (each) => each.name.test(name) && (each.language ?? language) === language && each.bad(body),
    )
    return rule && !had.has(`${name} ${body}`)
      ? [
          {
            kind: 'runner-patched',
            severity: 'block',
            file: path,
            line,
            after: short(`${head} ${body}`),
            detail: rule.says,
          },
        ]
      : []
  })
}

function bodies(text: string, language: Language): { name: string; body: string; head: string; line: number }[] {
  const unit = readUnit(text, language)
  return [...below(unit.root)]
    .filter(({ kind, name }) => kind === 'function' && RULES.some((rule) => rule.name.test(name)))
    .map(({ name, head, body }) => ({
      name,
      body: plain(unit.tokens, body),
      head: plain(unit.tokens, head),
      line: unit.tokens[head[0]]?.line ?? 1,
    }))
}
