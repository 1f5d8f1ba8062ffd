import { count, listOf } from '../../../core/src/count.ts'
import type { TestRun } from '../../../test-output/src/types.ts'
import { casesOfFile, type SourceTest, stateIn } from './reported-tests.ts'
import type { RunTree } from './trees.ts'

/** A test that was broken on purpose. */
export interface BrokenTest extends SourceTest {
  /** It did not pass before the run, so the claim rests on it. */
  readonly fresh: boolean
  /** The ordinary run reports it by name. Otherwise its file decides. */
  readonly reported: boolean
}

export interface BrokenFile {
  readonly path: string
  readonly text: string
  readonly tests: readonly BrokenTest[]
}

/** Test files with some of their tests broken on purpose. */
export interface BrokenFiles {
  readonly files: readonly BrokenFile[]
  /** No file with tests was left out, and the runner runs files of this language. */
  readonly complete: boolean
  /** Why nothing was broken, without a full stop. */
  readonly why?: string
}

/** What the broken tests showed: they failed, some passed, the run doesn't show it, or none could be broken. */
export interface BrokenResult {
  readonly state: 'armed' | 'disarmed' | 'unclear' | 'none'
  /** Broken tests that failed. */
  readonly failed: number
  /** Broken tests that decided against the run. */
  readonly passed: readonly BrokenTest[]
  /** Why it shows nothing, without a full stop. Of a command, what is wrong, in sentences. */
  readonly why?: string
  /** Nothing reports tests, so a whole command was tried. */
  readonly of?: 'command'
}

/** `everything`: each kind of failure must work. `throw`: only a plain failure, if the other doesn't compile. */
export type Strength = 'everything' | 'throw'

/** Chooses tests that passed in this run, and breaks them. */
export type BreakTests = (strength: Strength, now: TestRun) => Promise<BrokenFiles>

/**
 * Run D: can the tests fail at all? Passing tests get a failure of every kind that they use. They load the changed source as always,
 * in the runner's own language, under their own names, and must now be reported as failed. A test of our own in a new file would be
 * easier to recognise, would need the project's import rules, and might not be collected.
 */
export async function tryBroken(
  choose: BreakTests,
  own: TestRun,
  run: RunTree,
  limitMs: number,
): Promise<BrokenResult> {
  const named = await choose('everything', own)
  // A report may name packages instead of tests. Then only all files together show anything.
  const now = named.files.length > 0 ? own : { ...own, tests: [] }
  const broken = named.files.length > 0 ? named : await choose('everything', now)
  const { why = 'exitgate found no test that it can break on purpose' } = broken
  if (broken.files.length === 0) return { state: 'none', failed: 0, passed: [], why }
  const judge = async ({ files, complete }: BrokenFiles, all: boolean): Promise<BrokenResult> => {
    const only = new Set(files.map(({ path }) => path))
    const put = files.map(({ path, text }) => ({ path, text }))
    const ran = await run({ experiment: 'broken', put, deadlineMs: limitMs, ...(!all && { only }) })
    const unclear = (why: string): BrokenResult => ({ state: 'unclear', failed: 0, passed: [], why })
    if (ran.stopped !== undefined) return unclear(ran.stopped.replace(' without the changes', ''))
    return ran.run === undefined
      ? unclear('the output shows no test results')
      : judgeBroken({ files, complete }, ran.run, now)
  }
  const first = await judge(broken, false)
  // It may not compile, or not run without the other files: once more, as simple as possible.
  return first.state === 'unclear' ? judge(await choose('throw', now), true) : first
}

type State = 'failed' | 'passed' | 'unclear'

/**
 * Every test that the claim rests on must fail when it is broken, and in every file at least one test. One unusual older test
 * decides nothing.
 */
export function judgeBroken({ files, complete }: BrokenFiles, run: TestRun, ordinary: TestRun): BrokenResult {
  const unclear = (why: string): BrokenResult => ({ state: 'unclear', failed: 0, passed: [], why })
  if ((ordinary.tests ?? []).length === 0) {
    // The files may not belong to this command, so only all of them together show anything.
    const tests = files.flatMap((file) => file.tests)
    if (run.failed > 0) return { state: 'armed', failed: Math.min(run.failed, tests.length), passed: [] }
    return run.ok === true && complete
      ? { state: 'disarmed', failed: 0, passed: tests }
      : unclear('the report does not name tests')
  }
  const passed: BrokenTest[] = []
  let failed = 0
  for (const { tests } of files) {
    const states = tests.map((test) => [test, stateOf(test, run)] as const)
    const those = (state: State) => states.filter(([, each]) => each === state).map(([test]) => test)
    const [failing, passing] = [those('failed'), those('passed')]
    failed += failing.length
    passed.push(...passing.filter(({ fresh }) => fresh || failing.length === 0))
  }
  // It crashed, and what the report has of a broken test is from before that.
  const hasCrashed = run.ok !== true && run.failed === 0
  if (passed.length > 0 && !hasCrashed) return { state: 'disarmed', failed, passed }
  if (failed > 0) return { state: 'armed', failed, passed }
  return unclear(run.problems?.[0]?.replace(/\.$/, '') ?? 'the report shows none of them')
}

function stateOf(test: BrokenTest, run: TestRun): State {
  const byName = stateIn(run, test)
  if (byName === 'failed' || (test.reported && byName === 'passed')) return byName
  const states = test.reported ? [] : casesOfFile(run, test.file).map(({ state }) => state)
  if (states.length > 0) return states.includes('failed') ? 'failed' : 'passed'
  // A test that passes in the ordinary run can't be missing from a run in which nothing went wrong.
  return run.ok === true ? 'passed' : 'unclear'
}

const MOST_NAMED = 3

/** What run D showed, for people: whole sentences. */
export function brokenSentence(result: BrokenResult, suspects: readonly string[]): string {
  const { state, failed, why, of } = result
  if (of === 'command' && state === 'disarmed') return why ?? ''
  if (of === 'command' && state === 'armed') return 'The test command can fail: exitgate tried it.'
  if (state === 'armed') return `${count(failed, 'test')} that exitgate broke on purpose failed, as expected.`
  if (state === 'none') return `No canary: ${why}.`
  if (state === 'unclear') return `No canary: the run with broken tests shows no result (${why}).`
  return disarmedSentence(result, suspects)
}

function disarmedSentence({ passed }: BrokenResult, suspects: readonly string[]): string {
  const names = listOf(
    passed.map(({ groups, name, file }) => `"${[...groups, name].join(' > ')}" (${file})`),
    MOST_NAMED,
  )
  const cause =
    suspects.length > 0 ? `Probable cause: ${listOf(suspects, MOST_NAMED)}.` : 'No changed file shows the cause.'
  return (
    `The tests can't fail: exitgate broke ${names} on purpose in a private copy, and the run still reports a pass. ` +
    `Code of the project disables assertions, ends the run early or fakes its result. ${cause} ` +
    'Remove that code, or fix the test so that a failure in it counts.'
  )
}
