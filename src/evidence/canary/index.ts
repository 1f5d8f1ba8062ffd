import { randomInt } from 'node:crypto'
import {
  armedSentence,
  type BrokenFiles,
  type BrokenResult,
  disarmedSentence,
  judgeBroken,
} from '../../../packages/exitgate/src/checks/broken.ts'
import { LONG_MS, otherTests, roleOf } from '../../../packages/exitgate/src/checks/sides.ts'
import { isTestFile, type Language, languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import { awake } from '../../system/awake-clock.ts'
import { changedSince } from '../baseline/changed.ts'
import { runInCopy } from '../red-proof/run-copy.ts'
import type { ScratchOptions } from '../red-proof/scratch.ts'
import { withGrammars } from '../syntax/parse.ts'
import type { RunTests } from '../test-results/round.ts'
import type { CheckContext, Detected } from '../types.ts'
import type { Random, Strength } from './break-test.ts'
import { brokenFiles, namesOfPassed } from './choose.ts'
import { suspectsIn } from './suspects.ts'

export interface CanaryOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTests
  /** The ordinary run, in which everything passed, and how long it took. */
  readonly now: TestRun
  readonly ms: number
  readonly random?: Random
  readonly scratch?: ScratchOptions
}

export interface Canary {
  readonly state: BrokenResult['state'] | 'none'
  /** Broken tests that failed, and those that passed although they must not. */
  readonly failed: number
  readonly passed: number
  /** For people, whole sentences. */
  readonly detail: string
}

const MOST_FILES = { long: 5, short: 40 }
const SHORTEST_MS = 20_000

/**
 * Can the tests fail at all? In a private copy, passing tests get a failure of every kind that they use. They load the changed
 * source as always, in the runner's own language, under their own names, and must now be reported as failed. A test of our own in
 * a new file would be easier to recognise, would need the project's import rules, and might not be collected.
 */
export async function runCanary(options: CanaryOptions, context: CheckContext): Promise<Canary> {
  const { workspace, baseline } = context
  const none = (why: string): Canary => ({ state: 'none', failed: 0, passed: 0, detail: `No canary: ${why}.` })
  // A script of the project may print results without running the test files, so breaking them shows nothing.
  const unknown = options.commands.find(({ runner }) => runner === undefined)
  if (unknown !== undefined && /^(?:tap|words|lines)$/.test(options.now.framework))
    return none(`exitgate does not know which runner "${unknown.command}" starts`)
  const list = await workspace.list()
  const changed = baseline === undefined ? [] : await changedSince(baseline, workspace)
  const rankOf = ranking(changed, freshFiles(options.now, baseline?.tests))
  const files = inOrder(list, rankOf, options.commands)
  const isLong = options.ms > LONG_MS
  const choose = (strength: Strength, now = options.now) =>
    withGrammars(() =>
      brokenFiles({
        files,
        read: workspace.read,
        now,
        before: baseline?.tests,
        isFresh: (path) => rankOf(path) < 2,
        strength,
        random: options.random ?? ((most) => randomInt(most)),
        mostFiles: isLong ? MOST_FILES.long : MOST_FILES.short,
      }),
    )
  const named = await choose('everything')
  // A report may name packages instead of tests. Then only all files together show anything.
  const ordinary = named.files.length > 0 ? options.now : { ...options.now, tests: [] }
  const broken = named.files.length > 0 ? named : await choose('everything', ordinary)
  if (broken.files.length === 0) return none('exitgate found no test that it can break on purpose')
  const until = awake.now() + Math.max(SHORTEST_MS, Math.min(context.deadlineMs, 3 * options.ms + SHORTEST_MS))
  const left = () => Math.max(1, until - awake.now())
  try {
    const first = await tried(
      broken,
      isLong ? otherTests(list, new Set(broken.files.map(({ path }) => path))) : [],
      left(),
      { ...options, now: ordinary },
      context,
    )
    // It may not compile, or not run without the other files: once more, as simple as possible.
    const result =
      first.state === 'unclear'
        ? await tried(await choose('throw', ordinary), [], left(), { ...options, now: ordinary }, context)
        : first
    const { state, failed } = result
    if (state === 'armed') return { state, failed, passed: 0, detail: armedSentence(failed) }
    if (state === 'unclear') return none(`the run with broken tests shows no result (${result.why})`)
    const sources = changed.filter((path) => roleOf({ path, wasThere: true }) !== 'other' && !isTestFile(path))
    const detail = disarmedSentence(result, suspectsIn(sources, workspace.read))
    return { state, failed, passed: result.passed.length, detail }
  } catch (error) {
    return none(`the workspace could not be copied: ${error instanceof Error ? error.message : error}`)
  }
}

async function tried(
  { files, complete }: BrokenFiles,
  removed: readonly string[],
  deadlineMs: number,
  { commands, run, now, scratch }: CanaryOptions,
  { workspace, signal, openRoom }: CheckContext,
): Promise<BrokenResult> {
  const revert = [...removed.map((path) => ({ path })), ...files.map(({ path, text }) => ({ path, text }))]
  const ran = await runInCopy(workspace, {
    commands,
    run: (copy, detected, limits) => run(detected, limits, copy),
    revert,
    deadlineMs,
    unnoticed: true,
    ...(openRoom && { openRoom }),
    ...(signal && { signal }),
    ...(scratch && { scratch }),
  })
  const unclear = (why: string): BrokenResult => ({ state: 'unclear', failed: 0, passed: [], why })
  if (ran.stopped !== undefined) return unclear(ran.stopped.replace(' without the changes', ''))
  if (ran.run === undefined) return unclear('the output shows no test results')
  return judgeBroken(
    { files, complete: complete && files.some(({ path }) => isLanguageOf(ran.run!, path)) },
    ran.run,
    now,
  )
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
): readonly string[] {
  const reached = list.filter((path) =>
    commands.some(({ cwd }) => cwd === '' || cwd === '.' || path.startsWith(`${cwd.replace(/\/$/, '')}/`)),
  )
  return reached
    .filter((path) => languageOf(path) !== undefined)
    .map((path) => [rankOf(path), path] as const)
    .sort(([one], [other]) => one - other)
    .map(([, path]) => path)
}

/** Runners that print no names, by the language of their tests. */
const LANGUAGES: readonly (readonly [framework: RegExp, language: Language])[] = [
  [/^(?:go test|gotestsum|ginkgo)$/, 'go'],
  [/^(?:cargo test|nextest)$/, 'rust'],
  [/^(?:pytest|unittest)$/, 'python'],
  [/^(?:minitest|rspec)$/, 'ruby'],
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
