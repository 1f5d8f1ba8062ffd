/** A name that declares tests in this file, although it is none of the usual ones. */
export interface BoundTestFunction {
  /** The usual name for what it does. */
  readonly root: string
  /** All its tests belong to this group. */
  readonly group?: string
  /** It adds to the names: `of m: ${name}`. */
  readonly title?: string
  /** It comes from a helper that was not read, so that only calls at the top of the file are tests. */
  readonly isImported?: true
}

const RUNNER =
  '(?:node:test|test|ava|tape|tap|libtap|zora|brittle|uvu|mocha|vitest|bun:test|@jest/globals|@playwright/test|@japa/runner)'
const ROOTS = 'test|it|describe|suite|context|specify'
const VARIABLE = '\\b(?:const|let|var)\\s+'

/** The runner itself, or one of its functions. */
const WHOLE = new RegExp(
  `${VARIABLE}([\\w$]+)\\s*=\\s*(?:await\\s+import|require)\\(\\s*['"]${RUNNER}['"]\\s*\\)(?:\\.(\\w+))?|\\bimport\\s+(?:\\*\\s*as\\s+)?([\\w$]+)\\s*(?:,\\s*\\{[^}]*\\}\\s*)?from\\s*['"]${RUNNER}['"]`,
  'g',
)
/** Some of its functions, perhaps under other names. */
const PARTS = new RegExp(
  `\\bimport\\s+(?:[\\w$]+\\s*,\\s*)?\\{([^}]*)\\}\\s*from\\s*['"]${RUNNER}['"]|${VARIABLE}\\{([^}]*)\\}\\s*=\\s*(?:await\\s+import|require)\\(\\s*['"]${RUNNER}['"]`,
  'g',
)
/** `const M = suite('M')`: the tests are declared by calling it. */
const SUITE = new RegExp(
  `${VARIABLE}([\\w$]+)\\s*=\\s*(?:[\\w$]+\\.)?suite\\s*(?:<[^>()]*>)?\\(\\s*(?:(['"\`])(.*?)\\2)?\\s*(?:,\\s*\\{[^(){}]*\\}\\s*)?\\)`,
  'g',
)
const EXTENDED = new RegExp(`${VARIABLE}([\\w$]+)\\s*=\\s*([\\w$]+)(?:\\.\\w+)*\\.extend\\b`, 'g')
/** A function that passes its first parameter on as the name of a test. */
const WRAPPER = new RegExp(
  `(?:${VARIABLE}([\\w$]+)\\s*=\\s*(?:async\\s*)?(?:function\\s*\\w*\\s*)?\\(?|\\bfunction\\s+([\\w$]+)\\s*\\()\\s*([\\w$]+)\\b[^;]{0,300}?(?:=>|\\{)\\s*\\{?\\s*(?:return\\s+|await\\s+)*([\\w$]+)(?:\\.\\w+)*\\(\\s*(?:([\\w$]+)|\`([^\`]*\\$\\{\\s*([\\w$]+)[^\`]*))`,
  'g',
)
/** Helpers of tests. */
const HELPERS = new RegExp(
  `\\bimport\\s*(?:([\\w$]+)|\\{([^}]*)\\})\\s*from\\s*['"](\\.[^'"]*)['"]|${VARIABLE}(?:([\\w$]+)|\\{([^}]*)\\})\\s*=\\s*(?:await\\s+import|require)\\(\\s*['"](\\.[^'"]*)['"]`,
  'g',
)
const HELPER = /test|spec|helper|util|fixture|support|setup|harness|suite/i
const RENAMED = new RegExp(`^\\s*(${ROOTS}|default)\\s*(?:\\bas\\b|:)\\s*([\\w$]+)\\s*$`)
const ROOT = new RegExp(`^(?:${ROOTS})$`)

/** Names bound to a runner, to one of its functions, to a suite, or to a function that declares a test. */
export function boundTestFunctions(text: string): ReadonlyMap<string, BoundTestFunction> {
  const bound = new Map<string, BoundTestFunction>()
  const add = (name: string | undefined, found: BoundTestFunction) => {
    if (name !== undefined && !ROOT.test(name)) bound.set(name, found)
  }
  const rootOf = (name = '') => (ROOT.test(name) ? name : bound.get(name)?.root)
  for (const [, required, property = 'test', imported] of text.matchAll(WHOLE))
    add(required ?? imported, { root: rootOf(property) ?? 'test' })
  for (const [, imported, required] of text.matchAll(PARTS))
    for (const part of (imported ?? required ?? '').split(',')) {
      const [, from = '', to] = RENAMED.exec(part) ?? []
      add(to, { root: rootOf(from) ?? 'test' })
    }
  for (const [, name, , title] of text.matchAll(SUITE))
    add(name, { root: 'test', ...(title !== undefined && { group: title }) })
  for (const [, name, from] of text.matchAll(EXTENDED))
    if (rootOf(from) !== undefined) add(name, { root: rootOf(from)! })
  for (const [, assigned, declared, first, called, plain, title, inTemplate] of text.matchAll(WRAPPER)) {
    const root = rootOf(called)
    if (root !== undefined && (plain ?? inTemplate) === first)
      add(assigned ?? declared, { root, ...(title !== undefined && { title }) })
  }
  for (const [, one, some, from, required, parts, of] of text.matchAll(HELPERS)) {
    if (!HELPER.test(from ?? of ?? '')) continue
    for (const part of (one ?? some ?? required ?? parts ?? '').split(',')) {
      const name = /([\w$]+)\s*$/.exec(part)?.[1] ?? ''
      const declares = new RegExp(
        `^${name.replaceAll('$', '\\$')}\\(\\s*['"\`][^\\n]*,\\s*(?:async\\b|function\\b|\\(|\\w+\\s*=>)`,
        'm',
      )
      if (name !== '' && !bound.has(name) && declares.test(text))
        add(name, { root: /^(?:describe|context|suite)/.test(name) ? 'describe' : 'test', isImported: true })
    }
  }
  return bound
}

/** Whether such a name is called with the name of a test. */
export function callsBoundTest(text: string): boolean {
  const names = [...boundTestFunctions(text).keys()].map((name) => name.replaceAll('$', '\\$'))
  return (
    names.length > 0 && new RegExp(`(?:^|[\\n;{])\\s*(?:${names.join('|')})(?:\\.\\w+)*\\s*\\(\\s*['"\`]`).test(text)
  )
}
