import { randomInt } from 'node:crypto'
import type { BreakTests } from '../../../packages/exitgate/src/checks/broken.ts'
import type { Own } from '../../../packages/exitgate/src/checks/experiments.ts'
import { isTestFile, type Language, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import { changedSince } from '../baseline/changed.ts'
import { withGrammars } from '../syntax/parse.ts'
import type { CheckContext, Detected } from '../types.ts'
import type { Random } from './break-test.ts'
import { brokenFiles, namesOfPassed } from './choose.ts'

export interface BreakerOptions {
  readonly commands: readonly Detected[]
  /** The ordinary run, in which everything passed. */
  readonly own: Own
  readonly random?: Random
}

/** Test files to break: those that the claim rests on, and some others. */
const MOST_FILES = { fresh: 8, others: 3 }

/**
 * Chooses passing tests and breaks them on purpose, for run D. None if a script of the project may print results without running the
 * test files, because then breaking them shows nothing.
 */
export async function breaker(options: BreakerOptions, context: CheckContext): Promise<BreakTests> {
  const { workspace, baseline } = context
  const { own, commands, random = (most) => randomInt(most) } = options
  const unknown = commands.find(({ runner }) => runner === undefined)
  if (unknown !== undefined && /^(?:tap|words|lines)$/.test(own.run.framework)) {
    const why = `exitgate does not know which runner "${unknown.command}" starts`
    return async () => ({ files: [], complete: false, why })
  }
  const list = await workspace.list()
  const changed = baseline === undefined ? [] : await changedSince(baseline, workspace)
  const rankOf = ranking(changed, freshFiles(own.run, baseline?.tests))
  const files = inOrder(list, rankOf, commands, random)
  const fresh = files.filter((path) => rankOf(path) < 2 && isTestFile(path, workspace.read(path))).length
  const mostFiles = Math.min(fresh, MOST_FILES.fresh) + MOST_FILES.others
  return async (strength, now) => {
    const chosen = await withGrammars(() =>
      brokenFiles({
        files,
        read: workspace.read,
        now,
        before: baseline?.tests,
        isFresh: (path) => rankOf(path) < 2,
        strength,
        random,
        mostFiles,
      }),
    )
    return { ...chosen, complete: chosen.complete && chosen.files.some(({ path }) => isLanguageOf(own.run, path)) }
  }
}

/** The files of tests that did not pass before, as far as the report names files. */
function freshFiles(now: TestRun, before: TestRun | undefined): ReadonlySet<string> {
  if (before === undefined) return new Set()
  const passed = namesOfPassed(before)
  return new Set((now.tests ?? []).flatMap(({ name, file }) => (file === undefined || passed.has(name) ? [] : [file])))
}

/** Changed test files and those of fresh tests first, then tests named like a changed file, then all others. */
function ranking(changed: readonly string[], fresh: ReadonlySet<string>): (path: string) => number {
  const isChanged = new Set([...changed, ...fresh])
  const stems = new Set(changed.map(stemOf))
  return (path) => (isChanged.has(path) ? 0 : stems.has(stemOf(path)) ? 1 : 2)
}

function inOrder(
  list: readonly string[],
  rankOf: (path: string) => number,
  commands: readonly Detected[],
  random: Random,
): readonly string[] {
  const reached = list.filter((path) =>
    commands.some(({ cwd }) => cwd === '' || cwd === '.' || path.startsWith(`${cwd.replace(/\/$/, '')}/`)),
  )
  return reached
    .filter((path) => languageOf(path) !== undefined)
    .map((path) => ({ path, rank: rankOf(path), chance: random(1_000_000) }))
    .sort((one, other) => one.rank - other.rank || one.chance - other.chance)
    .map(({ path }) => path)
}

/** Runners that print no names, by the language of their tests. */
const LANGUAGES: readonly (readonly [framework: RegExp, language: Language])[] = [
  [/^(?:go test|gotestsum|ginkgo)$/, 'go'],
  [/^(?:cargo test|nextest)$/, 'rust'],
  [/^(?:pytest|unittest)$/, 'python'],
  [/^(?:minitest|test-unit|rspec)$/, 'ruby'],
  [/^(?:node:test|mocha|jest|vitest|ava|bun|deno test|karma)$/, 'javascript'],
  [/^(?:phpunit|pest)$/, 'php'],
  [/^(?:surefire|gradle)$/, 'java'],
  [/^dotnet test$/, 'csharp'],
]

const isLanguageOf = ({ framework }: TestRun, path: string): boolean =>
  LANGUAGES.some(([pattern, language]) => pattern.test(framework) && languageOf(path) === language)

/** `test_calc.py`, `calc.test.ts` and `calc_spec.rb` belong to `calc`. */
const stemOf = (path: string) =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\..*$/, '')
    .replace(/^tests?[-_]|[-_]?(?:tests?|specs?)$/gi, '')
    .toLowerCase()
