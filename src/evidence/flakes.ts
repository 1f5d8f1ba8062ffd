import type { TestCase, TestRun, TestState } from '../test-output/types.ts'

/** A test that changed its mind while nothing else changed. */
export interface Flake {
  readonly name: string
  readonly file?: string
  /** How it went in each run; several tests of one name are told together. */
  readonly states: readonly string[]
}

export interface ComparedRuns {
  readonly flakes: readonly Flake[]
  /** The runs differ, and no name tells in what. */
  readonly unnamed?: string
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

/** Runs of the same tests on the same tree: whatever differs between them is a flake. */
export function compareRuns(runs: readonly TestRun[]): ComparedRuns {
  const flakes = new Map<string, Flake>()
  const note = (test: TestCase, states: readonly string[]) => {
    const { name, file } = test
    flakes.set(keyOf(test), { name, ...(file !== undefined && { file }), states })
  }
  // A runner that tries again by itself says so; a pass at the second try is no pass.
  for (const test of runs.flatMap((run) => run.tests ?? [])) if (test.flaky) note(test, ['failed', 'passed'])
  const all = runs.map(statesOf)
  const sameNumber = runs.every((run) => run.total === runs[0]?.total)
  for (const key of new Set(all.flatMap((states) => [...states.keys()]))) {
    const entries = all.map((states) => states.get(key))
    const { test } = entries.find((entry) => entry !== undefined)!
    const states = entries.map((entry) => entry?.states.sort().join(' and ') ?? 'absent')
    const present = states.filter((state) => state !== 'absent')
    const differs = new Set(present).size > 1
    // Names with a random part come and go; the number of tests and their success then stay the same.
    const comesAndGoes = present.length < runs.length && (!sameNumber || present.some((state) => state !== 'passed'))
    if (differs || (comesAndGoes && runs.every((run) => run.tests !== undefined))) note(test, states)
  }
  if (flakes.size > 0 || runs.length < 2) return { flakes: [...flakes.values()] }
  const counts = runs.map(({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`)
  return new Set(counts).size > 1 ? { flakes: [], unnamed: counts.join('; then ') } : { flakes: [] }
}
