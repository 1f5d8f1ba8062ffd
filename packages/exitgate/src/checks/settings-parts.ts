/** The parts of a shared settings file that belong to the test runner. Everything else belongs to the project. */

const RUNNER_KEYS = ['jest', 'mocha', 'ava', 'tap', 'vitest', 'c8', 'nyc', 'jasmine', 'cypress', 'playwright']
/** Paths that only tests use. */
export const LEADS_TO_TESTS = /["'/](?:tests?|specs?|__tests__|__mocks__|mocks?|fakes?|stubs?)\//
const RUNNER_SCRIPTS = /^(?:pre|post)?test(?::.*)?$/
const RUNNER_SECTIONS = /^(?:tool[.:])?(?:pytest|coverage|unittest|nose2?|tox|nox|hatch\.envs)\b/

/** Files that hold settings of the test runner among others. */
export const SHARED_SETTINGS = /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini)$/

/** The runner's part of a text, to compare it; empty if there is none. */
export function runnerPart(path: string, text: string | undefined): string {
  if (text === undefined) return ''
  if (path.endsWith('package.json')) {
    const parsed = objectIn(text)
    return parsed === undefined ? '' : JSON.stringify([picked(parsed), scriptsOf(parsed)], undefined, 1)
  }
  return sectionsOf(text)
    .filter(({ name }) => RUNNER_SECTIONS.test(name))
    .map(({ lines }) => lines.join('\n'))
    .join('\n')
}

/** The new text with the runner's part of the old one. */
export function withRunnerPart(path: string, text: string, before: string | undefined): string {
  if (path.endsWith('package.json')) {
    const [now, was] = [objectIn(text), objectIn(before ?? '{}')]
    if (now === undefined || was === undefined) return text
    const kept = Object.fromEntries(Object.entries(now).filter(([key]) => !RUNNER_KEYS.includes(key)))
    const scripts = Object.entries(recordOf(now.scripts)).filter(([name]) => !RUNNER_SCRIPTS.test(name))
    // Names of modules that lead into the tests: the product does not need them.
    const imports = LEADS_TO_TESTS.test(JSON.stringify(now.imports) ?? '') ? { imports: was.imports } : {}
    return `${JSON.stringify({ ...kept, ...imports, ...picked(was), scripts: { ...Object.fromEntries(scripts), ...scriptsOf(was) } }, undefined, 2)}\n`
  }
  const kept = sectionsOf(text).filter(({ name }) => !RUNNER_SECTIONS.test(name))
  const old = sectionsOf(before ?? '').filter(({ name }) => RUNNER_SECTIONS.test(name))
  return `${[...kept, ...old].map(({ lines }) => lines.join('\n')).join('\n')}\n`
}

type Fields = Readonly<Record<string, unknown>>

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

const recordOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

const picked = (all: Fields): Fields =>
  Object.fromEntries(Object.entries(all).filter(([key]) => RUNNER_KEYS.includes(key)))

const scriptsOf = (all: Fields): Fields =>
  Object.fromEntries(Object.entries(recordOf(all.scripts)).filter(([name]) => RUNNER_SCRIPTS.test(name)))

/** Sections of TOML and INI files; what comes before the first has an empty name. */
function sectionsOf(text: string): { readonly name: string; readonly lines: string[] }[] {
  const sections = [{ name: '', lines: [] as string[] }]
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?$/.exec(line)?.[1]
    if (name !== undefined) sections.push({ name: name.replaceAll(/["']/g, ''), lines: [line] })
    else sections.at(-1)!.lines.push(line)
  }
  return sections
}
