import type { Language } from '../../../../packages/exitgate/src/frameworks/test-files.ts'
import { addedLines, type Change, type Changes } from '../changes.ts'
import { short, type TamperFinding } from '../finding.ts'
import { plain } from '../source/tokens-and-blocks.ts'
import { descendants, readUnit } from '../source/unit.ts'

/** Most files contain none of these and can be skipped. */
const LIBRARY_HINT = /\b(?:assert|node:test|chai|expect|vitest|globals|tap|ava|should|unittest|pytest)\b/

/** Source code that changes the assertion library so that every test passes. */
export function patchedAssertionFindings(changes: Changes): TamperFinding[] {
  return changes.sources.flatMap((change): TamperFinding[] => {
    if (change.language === undefined || change.after === undefined || !LIBRARY_HINT.test(change.after)) return []
    const names = libraryNames(change.after, change.language)
    if (names.length === 0) return []
    const one = `(?:${names.map((name) => name.replaceAll('$', String.raw`\$`)).join('|')})`
    const replaced = new RegExp(
      String.raw`(?<!\. )\b${one} (?:\. \w+ |\[ [^\]]* \] )+=(?![=>])|\b(?:assign|definePropert(?:y|ies)|set|method|setattr|object) \( ${one}\b`,
    )
    return addedLines(change).flatMap(({ text, line }) =>
      replaced.test(text)
        ? [
            {
              kind: 'runner-patched' as const,
              severity: 'block' as const,
              file: change.path,
              line,
              after: short(text),
              detail: 'This source line replaces a function that tests rely on. Remove it.',
            },
          ]
        : [],
    )
  })
}

const JAVASCRIPT_LIBRARY = String.raw`['"](?:(?:node:)?assert(?:/strict)?|node:test|chai|expect|vitest|@jest/globals|uvu/assert|tap|ava|should)['"]`

/** Finds the names under which a source file imports an assertion library. */
const LIBRARY_IMPORTS: Readonly<Partial<Record<Language, readonly RegExp[]>>> = {
  javascript: [
    new RegExp(String.raw`\bimport\s+(?:\*\s*as\s+)?([\w$]+)[^;'"]*?\bfrom\s*${JAVASCRIPT_LIBRARY}`, 'g'),
    new RegExp(String.raw`\bimport\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*${JAVASCRIPT_LIBRARY}`, 'g'),
    new RegExp(
      String.raw`(?:\b(?:const|let|var)|,)\s+(?:\{([^}]*)\}|([\w$]+))\s*=\s*(?:\(?await\s+import|require)\s*\(\s*${JAVASCRIPT_LIBRARY}`,
      'g',
    ),
  ],
  python: [
    /^[ \t]*import[ \t]+(?:unittest|pytest)[\w.]*[ \t]+as[ \t]+(\w+)/gm,
    /^[ \t]*import[ \t]+(unittest|pytest)\b/gm,
    /^[ \t]*from[ \t]+(?:unittest|pytest)[\w.]*[ \t]+import[ \t]+([^\n]+)/gm,
  ],
}

/** In `{ strict as assert, ok }` and `TestCase as T, mock`, the name after `as` counts. */
function libraryNames(text: string, language: Language): string[] {
  const found = (LIBRARY_IMPORTS[language] ?? []).flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.flatMap((group) => group?.split(',') ?? [])),
  )
  return [...new Set(found.flatMap((each) => /([\w$]+)\W*$/.exec(each)?.[1] ?? []))]
}

const RUNNERS =
  /(?:from\s*|require\(\s*|import\s*)['"](?:vitest|@jest\/globals|@playwright\/test|chai|node:test|node:assert[\w/]*|assert[\w/]*|bun:test|expect|mocha|ava|tap|jest|cypress|@std\/\w+|should|uvu[\w/]*|power-assert|@testing-library\/[\w-]+|jsr:[^'"]+|https?:[^'"]+)/

/** `expect`, `test` and the like, imported from a project file that doesn't take them from a test runner. */
export function importFindings(changes: Changes): TamperFinding[] {
  return changes.tests.flatMap((change): TamperFinding[] => {
    if (change.language !== 'javascript' || change.after === undefined || change.before === undefined) return []
    const had = new Set(ownImports(change.before).map(({ word, from }) => `${word} ${from}`))
    return ownImports(change.after).flatMap(({ word, from, line }): TamperFinding[] => {
      if (had.has(`${word} ${from}`)) return []
      const text = importedText(change, from, changes)
      if (text === undefined || RUNNERS.test(text)) return []
      return [
        {
          kind: 'runner-patched',
          severity: 'block',
          file: change.path,
          line,
          after: short(`${word} from ${from}`),
          detail: `"${word}" now comes from ${from} instead of the test runner. Import it from the runner.`,
        },
      ]
    })
  })
}

const IMPORTS =
  /import\s+(?:type\s+)?(\w+)?\s*,?\s*(?:\{([^}]*)\})?\s*from\s*['"]([^'"]+)['"]|(?:const|let|var)\s+(?:\{([^}]*)\}|(\w+))\s*=\s*require\(\s*['"]([^'"]+)['"]\s*\)/g

const RUNNER_WORDS = /^(?:expect|it|test|describe|assert)$/

/** Test functions that are imported by a relative path. */
function ownImports(text: string): { word: string; from: string; line: number }[] {
  return [...text.matchAll(IMPORTS)].flatMap((match) => {
    const from = match[3] ?? match[6] ?? ''
    if (!from.startsWith('.')) return []
    const names = [match[1], match[5], ...(match[2] ?? match[4] ?? '').split(',')]
    const words = names
      .map((name) => (name ?? '').trim().replace(/^.*\s(?:as\s)?|^\w+\s*:\s*/, ''))
      .filter((name) => RUNNER_WORDS.test(name))
    const line = text.slice(0, match.index).split('\n').length
    return words.map((word) => ({ word, from, line }))
  })
}

function importedText({ path }: Change, from: string, { after }: Changes): string | undefined {
  const parts = path.split('/').slice(0, -1)
  for (const part of from.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  const base = parts.join('/').replace(/\.[cm]?[jt]sx?$/, '')
  const endings = ['', '.ts', '.tsx', '.js', '.mjs', '.cjs', '.mts', '.cts', '.jsx', '/index.ts', '/index.js']
  const found = endings.map((ending) => base + ending).find((candidate) => after.paths.includes(candidate))
  return found === undefined ? undefined : after.read(found)
}

const OVERRIDE_HINT =
  /\b(?:expect\s*=|function\s+expect|TestMain|handleTestExecutionException|evaluateExecutionCondition|__eq__|__ne__|pytest_collection_modifyitems)\b|\bto[A-Z]\w+\s*[(:][^\n]*\{/

/** A function that a test runner calls, and which bodies of it make the tests useless. */
interface OverrideRule {
  readonly name: RegExp
  readonly language?: Language
  readonly bad: (body: string) => boolean
  readonly detail: string
}

const OVERRIDE_RULES: readonly OverrideRule[] = [
  {
    name: /^TestMain$/,
    language: 'go',
    bad: (body) => !/\bm \. Run \(/.test(body),
    detail: 'This TestMain does not run the tests. Call m.Run.',
  },
  {
    name: /^handleTestExecutionException$/,
    bad: (body) => !/\bthrow\b/.test(body),
    detail: 'This extension swallows errors in tests. Remove it.',
  },
  {
    name: /^evaluateExecutionCondition$/,
    bad: (body) => /\bdisabled \(/.test(body) && !/\bif\b/.test(body),
    detail: 'This extension disables tests. Remove it.',
  },
  {
    name: /^__(?:eq|ne)__$/,
    language: 'python',
    bad: (body) => /^return (?:True|False) ?;?$/.test(body.trim()),
    detail: 'This object equals everything, so every comparison with it passes. Remove it.',
  },
  {
    name: /^pytest_collection_modifyitems$/,
    bad: (body) => /mark \. (?:skip|xfail)\b/.test(body) && !/getoption|\bif\b/.test(body),
    detail: 'This hook skips every collected test. Remove it.',
  },
  {
    name: /^expect$/,
    language: 'javascript',
    bad: (body) => !/\b(?:throw|fail|Error|assert|expect)\b/.test(body),
    detail: 'This expect function asserts nothing. Use the one from the test runner.',
  },
  {
    name: /^to(?:Be|Equal|StrictEqual|Match|Contain|Throw|HaveLength|BeTruthy|HaveBeenCalledWith)$/,
    language: 'javascript',
    bad: (body) => /pass : true/.test(body),
    detail: "This replaces one of the runner's matchers with one that always passes. Remove it.",
  },
]

/** Functions for the runner that the project defines in a way that makes the tests useless. */
export function overriddenFunctions({ path, before, after, language }: Change): TamperFinding[] {
  if (!OVERRIDE_HINT.test(after!)) return []
  const had = new Set(before === undefined ? [] : bodies(before, language!).map(({ name, body }) => `${name} ${body}`))
  return bodies(after!, language!).flatMap(({ name, body, line, head }): TamperFinding[] => {
    const rule = OVERRIDE_RULES.find(
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
            detail: rule.detail,
          },
        ]
      : []
  })
}

function bodies(text: string, language: Language): { name: string; body: string; head: string; line: number }[] {
  const unit = readUnit(text, language)
  return [...descendants(unit.root)]
    .filter(({ kind, name }) => kind === 'function' && OVERRIDE_RULES.some((rule) => rule.name.test(name)))
    .map(({ name, head, body }) => ({
      name,
      body: plain(unit.tokens, body),
      head: plain(unit.tokens, head),
      line: unit.tokens[head[0]]?.line ?? 1,
    }))
}
