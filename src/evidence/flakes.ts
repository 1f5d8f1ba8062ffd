import { join } from 'node:path'
import type { TestCase, TestRun, TestState } from '../../packages/test-output/src/types.ts'
import { makeFolder, writeFileAtomic } from '../system/files.ts'
import { bytesOf, statOf } from './baseline/content-id.ts'

/** A test whose result changed although nothing else did. */
export interface Flake {
  readonly name: string
  readonly file?: string
  /** Its result in each run; several tests with one name are combined. */
  readonly states: readonly string[]
}

export interface ComparedRuns {
  readonly flakes: readonly Flake[]
  /** The runs differ, but no test name shows where. */
  readonly unnamed?: string
}

/** Compares runs of the same tests on the same tree: any difference is a flake. */
export function compareRuns(runs: readonly TestRun[]): ComparedRuns {
  const flakes = new Map<string, Flake>()
  const note = (test: TestCase, states: readonly string[]) => {
    const { name, file } = test
    flakes.set(keyOf(test), { name, ...(file !== undefined && { file }), states })
  }
  // Some runners retry by themselves and report it; passing on the second try does not count as a pass.
  for (const test of runs.flatMap((run) => run.tests ?? [])) if (test.flaky) note(test, ['failed', 'passed'])
  const all = runs.map(statesOf)
  const sameNumber = runs.every((run) => run.total === runs[0]?.total)
  for (const key of new Set(all.flatMap((states) => [...states.keys()]))) {
    const entries = all.map((states) => states.get(key))
    const { test } = entries.find((entry) => entry !== undefined)!
    const states = entries.map((entry) => entry?.states.sort().join(' and ') ?? 'absent')
    const present = states.filter((state) => state !== 'absent')
    const differs = new Set(present).size > 1
    // Names with a random part come and go, while the number of tests and their success stay the same.
    const comesAndGoes = present.length < runs.length && (!sameNumber || present.some((state) => state !== 'passed'))
    if (differs || (comesAndGoes && runs.every((run) => run.tests !== undefined))) note(test, states)
  }
  if (flakes.size > 0 || runs.length < 2) return { flakes: [...flakes.values()] }
  const counts = runs.map(({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`)
  return new Set(counts).size > 1 ? { flakes: [], unnamed: counts.join('; then ') } : { flakes: [] }
}

const keyOf = ({ name, file }: TestCase) => `${file ?? ''}\0${name}`

function statesOf(run: TestRun): Map<string, { test: TestCase; states: TestState[] }> {
  const found = new Map<string, { test: TestCase; states: TestState[] }>()
  for (const test of run.tests ?? []) {
    const entry = found.get(keyOf(test))
    if (entry === undefined) found.set(keyOf(test), { test, states: [test.state] })
    else entry.states.push(test.state)
  }
  return found
}

/** One run of all tests on a tree, as the history stores it. */
interface Round {
  readonly green: boolean
  /** Tests that failed and were not excused. */
  readonly failed: readonly string[]
}
export interface FlakeRecord {
  readonly tree: string
  readonly at: number
  readonly rounds: readonly Round[]
  /** Tests that flaked. */
  readonly flaky: readonly string[]
}
export interface FlakeRate {
  readonly flaked: number
  /** Runs since it was first seen to flake, that one included. */
  readonly runs: number
}
export interface OnTree {
  /** Passing runs in a row, up to the last one. */
  readonly green: number
  /** What failed on this tree before. */
  readonly failed: readonly string[]
}

/** What earlier runs of the project show about its flaky tests. */
export interface FlakeHistory {
  /** Problems with its file, as sentences. */
  readonly problems: readonly string[]
  rateOf(test: string): FlakeRate | undefined
  onTree(tree: string): OnTree | undefined
  record(record: FlakeRecord): void
}

interface Remembered {
  readonly v: number
  readonly tests: Readonly<Record<string, { readonly flaked: number; readonly runs: number; readonly at: number }>>
  readonly trees: readonly { readonly tree: string; readonly green: number; readonly failed: readonly string[] }[]
}

const FILE = 'flakes.json'
const VERSION = 1
const MOST_TESTS = 500
const MOST_TREES = 16
const MOST_FAILED = 200
const MOST_BYTES = 4 * 1024 * 1024
const EMPTY: Remembered = { v: VERSION, tests: {}, trees: [] }

/**
 * Opens the history in a project's state folder. A damaged one is reported and replaced by an empty one, because it only leads to
 * warnings. With `later`, what is recorded is written only by `save`.
 */
export function openFlakeHistory(dir: string, { later = false } = {}): FlakeHistory & { save(): void } {
  const problems: string[] = []
  let remembered = read(dir, problems)
  const save = () => {
    try {
      write(dir, remembered)
    } catch (error) {
      problems.push(`The history of flaky tests was not written: ${error instanceof Error ? error.message : error}.`)
    }
  }
  return {
    problems,
    rateOf: (test) => (Object.hasOwn(remembered.tests, test) ? remembered.tests[test] : undefined),
    onTree: (tree) => (tree === '' ? undefined : remembered.trees.find((entry) => entry.tree === tree)),
    record(record) {
      remembered = add(remembered, record)
      if (!later) save()
    },
    save,
  }
}

function add(before: Remembered, { tree, at, rounds, flaky }: FlakeRecord): Remembered {
  const tests = new Map(
    Object.entries(before.tests).map(([name, rate]) => [name, { ...rate, runs: rate.runs + rounds.length }]),
  )
  for (const name of new Set(flaky)) {
    const known = tests.get(name)
    tests.set(name, { flaked: (known?.flaked ?? 0) + 1, runs: known?.runs ?? rounds.length, at })
  }
  const kept = [...tests].sort(([, a], [, b]) => b.at - a.at).slice(0, MOST_TESTS)
  const trees =
    tree === '' ? before.trees : [onTree(before, tree, rounds), ...before.trees.filter((entry) => entry.tree !== tree)]
  return { v: VERSION, tests: Object.fromEntries(kept), trees: trees.slice(0, MOST_TREES) }
}

function onTree(before: Remembered, tree: string, rounds: readonly Round[]): Remembered['trees'][number] {
  const known = before.trees.find((entry) => entry.tree === tree)
  const green = rounds.reduce((sum, round) => (round.green ? sum + 1 : 0), known?.green ?? 0)
  const failed = new Set([...(known?.failed ?? []), ...rounds.flatMap((round) => round.failed)])
  return { tree, green, failed: [...failed].slice(0, MOST_FAILED) }
}

function read(dir: string, problems: string[]): Remembered {
  const path = join(dir, FILE)
  if (statOf(path) === undefined) return EMPTY
  try {
    const found = JSON.parse(bytesOf(path, MOST_BYTES)?.toString('utf8') ?? '') as Partial<Remembered>
    if (found.v === VERSION && isRates(found.tests) && Array.isArray(found.trees) && found.trees.every(isOnTree))
      return found as Remembered
  } catch {
    // Reported below.
  }
  problems.push(`The history of flaky tests in ${path} cannot be read. Starting with an empty one.`)
  return EMPTY
}

const isCount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0
const isRates = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every(
    (rate) =>
      typeof rate === 'object' && rate !== null && isCount(rate.flaked) && isCount(rate.runs) && isCount(rate.at),
  )
const isOnTree = (value: unknown) => {
  const entry = value as Partial<Remembered['trees'][number]> | null
  return (
    typeof entry?.tree === 'string' &&
    isCount(entry.green) &&
    Array.isArray(entry.failed) &&
    entry.failed.every((name) => typeof name === 'string')
  )
}

/** Not synced: if a power failure damages it, the next run starts with an empty one. */
function write(dir: string, remembered: Remembered): void {
  makeFolder(dir)
  writeFileAtomic(join(dir, FILE), `${JSON.stringify(remembered)}\n`)
}

/** Every test that was seen to flake, for the user; none if the history cannot be read. */
export function flakyTests(dir: string): readonly (FlakeRate & { readonly test: string })[] {
  return Object.entries(read(dir, []).tests).map(([test, { flaked, runs }]) => ({ test, flaked, runs }))
}
