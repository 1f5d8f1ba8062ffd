import { shellCommands } from '../../system/shell/commands.ts'

/** The text of a script by its name, in the folder where the line runs. */
export type Scripts = (name: string) => string | undefined

/** Programs that only start what follows them. A number says how many arguments of their own they take. */
const STARTERS: readonly (readonly [pattern: RegExp, own: number])[] = [
  [/^(?:cross-env|env|npx|bunx|time|nice|xvfb-run|c8|nyc|exec|command|dotenvx?|sudo)$/, 1],
  [/^timeout$/, 2],
  [/^(?:pnpm|npm|yarn) (?:exec|dlx|x)$/, 2],
  [/^bun (?:x|--bun)$/, 2],
  [/^(?:uv|poetry|pipenv|pdm|hatch|rye) run$/, 2],
  [/^bundle exec$/, 2],
  [/^coverage run$/, 2],
]
const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/

/** Which runner a program is, by its name and arguments. */
const PROGRAMS: readonly (readonly [pattern: RegExp, runner: string])[] = [
  [/^vitest(?: |$)/, 'vitest'],
  [/^jest(?: |$)/, 'jest'],
  [/^(?:react-scripts|craco|react-app-rewired|tsdx|kcd-scripts)(?: .*)? test(?: |$)/, 'jest'],
  [/^_?mocha(?: |$)/, 'mocha'],
  [/^(?:node|tsx|ts-node)(?: .*)? --test(?: |$)/, 'node'],
  [/^ava(?: |$)/, 'ava'],
  [/^tap(?: |$)/, 'tap'],
  [/^tape(?: |$)/, 'tape'],
  [/^uvu(?: |$)/, 'uvu'],
  [/^playwright(?: .*)? test(?: |$)/, 'playwright'],
  [/^cypress(?: .*)? run(?: |$)/, 'cypress'],
  [/^bun(?: --?\S+)* test(?: |$)/, 'bun'],
  [/^deno(?: --?\S+)* test(?: |$)/, 'deno'],
  [/^jasmine(?:-ts)?(?: |$)/, 'jasmine'],
  [/^(?:pytest|py\.test)(?: |$)/, 'pytest'],
  [/^unittest(?: |$)/, 'unittest'],
  [/^(?:python\S* )?(?:\.\/)?manage\.py test(?: |$)/, 'unittest'],
  [/^go(?: .*)? test(?: |$)/, 'go'],
  [/^gotestsum(?: |$)/, 'go'],
  [/^cargo(?: .*)? nextest(?: |$)/, 'nextest'],
  [/^cargo(?: .*)? test(?: |$)/, 'cargo'],
  [/^mvnw?(?: .*)? (?:test|verify|package|install)(?: |$)/, 'maven'],
  [/^gradlew?(?: .*)? \S*(?:[tT]est\w*|check|build)(?: |$)/, 'gradle'],
  [/^dotnet(?: .*)? (?:test|vstest)(?: |$)/, 'dotnet'],
  [/^rspec(?: |$)/, 'rspec'],
  [/^(?:rake|rails)(?: .*)? test\S*(?: |$)/, 'minitest'],
  [/^(?:phpunit|paratest|simple-phpunit)(?: |$)/, 'phpunit'],
  [/^pest(?: |$)/, 'pest'],
  [/^mix(?: .*)? test(?: |$)/, 'mix'],
  [/^ctest(?: |$)/, 'ctest'],
  [/^bats(?: |$)/, 'bats'],
  [/^busted(?: |$)/, 'busted'],
  [/^prove(?: |$)/, 'prove'],
  [/^meson(?: .*)? test(?: |$)/, 'meson'],
  [/^swift(?: .*)? test(?: |$)/, 'swift'],
  [/^(?:dart|flutter)(?: .*)? test(?: |$)/, 'dart'],
]

/** `node_modules/.bin/jest`, `./vendor/bin/pest` and `jest.cmd` by their plain names. */
const plainName = (word: string) => word.replace(/^.*[\\/]/, '').replace(/\.(?:[cm]?js|cmd|exe|bat|phar)$/, '')

/** `python -m pytest` is pytest, `node node_modules/jest/bin/jest.js` is jest. */
function program(words: readonly string[]): readonly string[] {
  const name = plainName(words[0] ?? '')
  const rest = words.slice(1)
  if (/^(?:python[\d.]*|py)$/.test(name)) {
    const at = rest.indexOf('-m')
    if (at >= 0) return [rest[at + 1] ?? '', ...rest.slice(at + 2)]
  }
  if (name === 'node' && !rest.includes('--test')) {
    const script = rest.find((word) => !word.startsWith('-'))
    if (script !== undefined && /node_modules/.test(script)) {
      const own = /node_modules\/(?:\.bin\/)?((?:@[^/]+\/)?[^/]+)/.exec(script)![1]!
      return [own.replace(/^@playwright\/test$/, 'playwright'), ...rest.slice(rest.indexOf(script) + 1)]
    }
  }
  if (name === 'php') {
    const script = rest.find((word) => !/^-|=/.test(word))
    if (script !== undefined) return [plainName(script), ...rest.slice(rest.indexOf(script) + 1)]
  }
  return [name, ...rest]
}

/** Removes what precedes the program: assignments, starters and their options. */
function withoutStarters(words: readonly string[]): readonly string[] {
  let rest = words
  for (let changed = true; changed; ) {
    changed = false
    while (/^[A-Za-z_]\w*=/.test(rest[0] ?? '')) rest = rest.slice(1)
    const [first = '', second = ''] = rest
    const own = STARTERS.find(
      ([pattern]) => pattern.test(plainName(first)) || pattern.test(`${plainName(first)} ${second}`),
    )
    if (own === undefined) break
    rest = rest.slice(own[1])
    while (rest[0]?.startsWith('-') === true && rest[0] !== '-m') rest = rest.slice(1)
    if (rest[0] === '-m') rest = rest.slice(1)
    changed = true
  }
  return rest
}

/** The script that a package manager would run, if the command is one of those. */
function scriptOf(words: readonly string[], scripts: Scripts): string | undefined {
  const [manager = '', ...rest] = words
  if (!MANAGERS.test(manager)) return undefined
  const named = rest.filter((word) => !word.startsWith('-'))
  const scriptName = named[0] === 'run' || named[0] === 'run-script' ? named[1] : named[0] === 't' ? 'test' : named[0]
  // `bun test` is a runner of its own, whatever the scripts are.
  if (scriptName === undefined || (manager === 'bun' && named[0] === 'test')) return undefined
  return scripts(scriptName)
}

/** The test runners that a command line starts, each once, in the order in which they run. */
export function runnersIn(line: string, scripts: Scripts = () => undefined): readonly string[] {
  return [...new Set(follow(line, scripts, new Set([line])))]
}

/** Scripts may call each other in circles; none is followed twice. */
function follow(line: string, scripts: Scripts, seen: Set<string>): readonly string[] {
  return shellCommands(line).flatMap(({ words, nested }) => {
    // Options for the runner would not reach it in there.
    if (nested) return []
    const rest = withoutStarters(words)
    const several = /^(?:run-[sp]|npm-run-all2?|concurrently)$/.test(rest[0] ?? '') ? rest.slice(1) : []
    const texts = [scriptOf(rest, scripts), ...several.map((name) => scripts(name.replace(/^npm:/, '')))]
    const inner = texts.filter((text) => text !== undefined)
    if (inner.length === 0) {
      const called = program(rest).join(' ')
      const known = PROGRAMS.find(([pattern]) => pattern.test(called))
      return known === undefined ? [] : [known[1]]
    }
    return inner.flatMap((text) => {
      if (seen.has(text)) return []
      seen.add(text)
      return follow(text, scripts, seen)
    })
  })
}

/** The one runner that a line starts; undefined if there is none, or more than one. */
export function runnerIn(line: string, scripts?: Scripts): string | undefined {
  const runners = runnersIn(line, scripts)
  return runners.length === 1 ? runners[0] : undefined
}

/** The script that a line runs if it does nothing else and passes no options on: then the two are the same. */
export function scriptIn(line: string, scripts: Scripts): string | undefined {
  const steps = shellCommands(line)
  const words = steps.length === 1 ? steps[0]!.words : []
  const bare = words.length === 2 || (words.length === 3 && /^run(?:-script)?$/.test(words[1]!))
  return bare ? scriptOf(words, scripts) : undefined
}
