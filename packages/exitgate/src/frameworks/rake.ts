interface RakeTask {
  readonly name: string
  readonly runner?: string
}

const RAKE_TASKS: readonly (readonly [pattern: RegExp, runner: string | undefined, unnamed?: string])[] = [
  [/RSpec::Core::RakeTask\.new(?:[ \t]*\(?[ \t]*(?::["']?|["'])([\w:-]+))?/g, 'rspec', 'spec'],
  [/\bTestTask\.(?:new|create)(?:[ \t]*\(?[ \t]*(?::["']?|["'])([\w:-]+))?/g, 'minitest', 'test'],
  [/^[ \t]*(?:multi)?task[ \t(]+(?::["']?|["'])?(\w+)/gm, undefined],
]
const RAKE_NAMES = ['test', 'spec', 'tests', 'specs', 'unit']

/** The task of a Rakefile that runs the tests: the one that `rake` runs by default, if it has a usual name. */
export function rakeTask(rakefile: string): RakeTask | undefined {
  const tasks = new Map<string, string | undefined>()
  for (const [pattern, runner, unnamed] of RAKE_TASKS)
    for (const [, given] of rakefile.matchAll(pattern)) {
      const name = given ?? unnamed
      if (name !== undefined && !tasks.has(name)) tasks.set(name, runner)
    }
  const byDefault =
    /^[ \t]*task[ \t(]+(?::default[ \t]*=>|default:)[ \t]*(.*)$/m.exec(rakefile)?.[1]?.match(/\w+/g) ?? []
  const name = [...byDefault, ...RAKE_NAMES].find((each) => RAKE_NAMES.includes(each) && tasks.has(each))
  if (name === undefined) return undefined
  const runner = tasks.get(name)
  return { name, ...(runner !== undefined && { runner }) }
}

/** A task of Rake's own kind runs minitest or test-unit: the gems or the tests say which. */
export function rubyRunner(
  { runner }: RakeTask,
  gems: string,
  files: readonly string[],
  read: (path: string) => string,
): string | undefined {
  if (runner === 'rspec') return runner
  const names = (pattern: RegExp, gem: string) =>
    gems.includes(`"${gem}"`) ||
    gems.includes(`'${gem}'`) ||
    files.some((path) => /^(?:spec|test)\/.*(?:helper|_test|test_\w+)\.rb$/.test(path) && pattern.test(read(path)))
  if (names(/minitest/i, 'minitest')) return 'minitest'
  return names(/["']test\/unit["']|Test::Unit/, 'test-unit') ? 'test-unit' : runner
}
