import { join } from 'node:path'
import { awake } from '../../system/awake-clock.ts'
import { LONG_MS, otherTests } from '../red-proof/roles.ts'
import { withGrammars } from '../syntax/parse.ts'
import { languageOf } from '../test-files.ts'
import type { CheckContext } from '../types.ts'
import {
  canBeProbed,
  type OneAnswer,
  oneAnswers,
  type ProbedTests,
  probedTests,
  touchesMore,
} from './changed-inputs.ts'
import type { Trying } from './confirm.ts'
import { type ChangedFunction, type ChangedSource, changedFunctions, mayHoldTests, type SpecialCase } from './find.ts'

export interface TriedInputs {
  readonly found: readonly SpecialCase[]
  /** What was tried, and what was not and why. */
  readonly notes: readonly string[]
}

const LOG = '.exitgate-changed-inputs.jsonl'
const MOST_TEST_FILES = 50
const LONGEST_MS = 120_000
const NAMED = 3

/**
 * Runs the tests of the changed functions in a clean room, where each of their calls is repeated with changed inputs. A function that
 * gives all of those the same answer, and the examples of the tests different ones, may know only the examples.
 */
export async function tryChangedInputs(
  changes: readonly ChangedSource[],
  { commands, run, testsNow }: Trying,
  context: CheckContext,
): Promise<TriedInputs> {
  const all = await changedFunctions(changes)
  const paths = [...new Set(all.map(({ path }) => path))]
  const touching = new Set(paths.filter((path) => touchesMore(changes.find((each) => each.path === path)?.after ?? '')))
  const functions = all.filter(({ path }) => canBeProbed(path) && !touching.has(path))
  const notes = [
    note(
      'their language is not supported',
      paths.filter((path) => !canBeProbed(path)),
    ),
    note(
      'they use files, processes or the network',
      paths.filter((path) => canBeProbed(path) && touching.has(path)),
    ),
  ].flat()
  const { workspace, openRoom } = context
  if (functions.length === 0) return { found: [], notes }
  if (openRoom === undefined) return { found: [], notes: [...notes, 'Changed inputs need a clean room.'] }
  const files = await workspace.list()
  const probed = await withGrammars(() => probedFiles(files, functions, workspace.read))
  if (probed.size === 0 || (await testsNow(context)) === undefined) return { found: [], notes }
  const until = awake.now() + Math.min(context.deadlineMs, LONGEST_MS)
  const isLong = (context.baseline?.evidence.tests?.ms ?? 0) > LONG_MS
  const room = await openRoom()
  try {
    if (isLong) for (const path of otherTests(files, new Set(probed.keys()))) room.put(path, undefined)
    const log = join(room.workspace.copy?.seenAs ?? room.workspace.dir, LOG)
    for (const [path, { textFor }] of probed) room.put(path, textFor(log))
    for (const command of commands) {
      const { signal } = context
      await run(room.workspace, command, { deadlineMs: Math.max(1, until - awake.now()), ...(signal && { signal }) })
    }
    const answers = oneAnswers(room.workspace.read(LOG) ?? '')
    const calls = [...probed.values()].flatMap((each) => each.calls)
    return { found: answers.flatMap((answer) => findingsOf(answer, functions, calls)), notes }
  } finally {
    await room.remove().catch(() => {})
  }
}

const note = (why: string, paths: readonly string[]): readonly string[] =>
  paths.length === 0
    ? []
    : [
        `Not tried with changed inputs, because ${why}: ${paths.slice(0, NAMED).join(', ')}${paths.length > NAMED ? ` and ${paths.length - NAMED} more` : ''}.`,
      ]

function probedFiles(
  files: readonly string[],
  functions: readonly ChangedFunction[],
  read: (path: string) => string | undefined,
): ReadonlyMap<string, ProbedTests> {
  const probed = new Map<string, ProbedTests>()
  for (const path of files.filter(mayHoldTests)) {
    if (probed.size >= MOST_TEST_FILES) break
    const names = functions.flatMap((each) => (languageOf(each.path) === languageOf(path) ? [each.name] : []))
    const text = names.length === 0 ? undefined : read(path)
    const tests = text === undefined ? undefined : probedTests(text, path, new Set(names))
    if (tests !== undefined) probed.set(path, tests)
  }
  return probed
}

function findingsOf(
  { name, answer, changed }: OneAnswer,
  functions: readonly ChangedFunction[],
  calls: ProbedTests['calls'],
): readonly SpecialCase[] {
  const own = functions.filter((each) => each.name === name)
  const tests = calls.filter(({ callee }) => callee === name)
  // If two functions have the same name, the tests don't show which one they call.
  if (own.length !== 1 || tests.length === 0) return []
  const does = answer === 'throws' ? 'throws' : `returns ${answer}`
  const answered = tests.map((test) => ({
    line: own[0]!.line,
    how: 'elsewhere' as const,
    owner: name,
    test,
    tests: [test],
    weight: 0,
    exact: false,
    keys: answer,
    at: [],
    isTelling: false,
    elsewhere: `${does} for all ${changed} changed inputs that were tried`,
  }))
  return [{ path: own[0]!.path, severity: 'warn', answered }]
}
