import type { TestCase, TestRun, TestState } from '../../../test-output/src/types.ts'
import { plainChange } from '../code/plain-assertions.ts'
import { isTestFile } from '../frameworks/test-files.ts'
import { testKey } from './originals.ts'
import { casesOf } from './reported-tests.ts'
import type { ChangedFile } from './sides.ts'
import { partsOf } from './test-names.ts'
import type { TestToProve, WithoutPlan } from './without.ts'

/** Where the reported tests are, as far as a reader finds them. */
interface Places {
  fileOf(test: TestCase): string | undefined
  bodyOf(test: TestCase): unknown
}

/**
 * The tests that must notice the change, with those that only the report shows. These are new ones, those that failed before, and
 * changed ones of files that nothing reads. `then`: the outcomes at the start.
 */
export async function withReported(
  plan: WithoutPlan,
  own: TestRun,
  then: ReadonlyMap<string, TestState>,
  changes: readonly ChangedFile[],
  { isHeld, places }: { readonly isHeld: (test: TestCase) => boolean; readonly places: () => Promise<Places> },
): Promise<WithoutPlan> {
  const covered = new Set(plan.tests.flatMap((test) => casesOf(own, test)))
  const passing = (own.tests ?? []).filter((test) => test.state === 'passed' && !covered.has(test) && !isHeld(test))
  const fixed = passing.filter((test) => then.get(testKey(test)) === 'failed')
  const added = passing.filter((test) => then.size > 0 && !then.has(testKey(test)))
  // Nothing reads these files, and the report does not name them: what it names as new or changed stands for them.
  const unnamed = plan.tests.filter((test) => test.name === '' && casesOf(own, test).length === 0)
  const rewritten = unnamed.flatMap(({ file }) =>
    rewrittenIn(
      changes.find(({ path }) => path === file),
      passing,
      then,
    ),
  )
  if (fixed.length + added.length + rewritten.length === 0) return plan
  const index = await places()
  const changed = new Set(changes.flatMap(({ path, after }) => (after === undefined ? [] : [path])))
  // A report may name the helper that declared a test instead of the file that calls it.
  const placeOf = (test: TestCase) => {
    const file = index.fileOf(test)
    const title = namesIn(test.name).name
    const isIn = ({ path, before = '', after = '' }: ChangedFile) =>
      isTestFile(path, after) && after.includes(title) && !before.includes(title)
    return file === undefined || changed.has(file) ? file : (changes.find(isIn)?.path ?? file)
  }
  const asTests = (tests: readonly TestCase[], kind: TestToProve['kind']) =>
    tests.flatMap((test): TestToProve[] => {
      const file = placeOf(test)
      if (kind === 'new' && (file === undefined ? unnamed.length === 0 : !changed.has(file))) return []
      // The reader found it, and it only has another name. One that is put together is that of a new row.
      const isWritten = changes.some(({ path, after }) => path === file && after?.includes(namesIn(test.name).name))
      if (kind === 'new' && isWritten && index.bodyOf(test) !== undefined) return []
      return [{ ...namesIn(test.name), file: file ?? '', kind }]
    })
  const found = [...asTests(added, 'new'), ...asTests(fixed, 'fixed'), ...rewritten]
  const isShown = (test: TestToProve) =>
    unnamed.includes(test) && found.some(({ file }) => file === '' || file === test.file)
  return { ...plan, tests: [...plan.tests.filter((test) => !isShown(test)), ...found] }
}

const namesIn = (name: string) => {
  const parts = partsOf(name)
  return { groups: parts.slice(0, -1), name: parts.at(-1) ?? '' }
}

/** The reported tests whose text in the file is another one now. */
function rewrittenIn(
  change: ChangedFile | undefined,
  passing: readonly TestCase[],
  then: ReadonlyMap<string, TestState>,
): readonly TestToProve[] {
  const { path, before, after } = change ?? {}
  if (path === undefined || before === undefined || after === undefined) return []
  return passing
    .filter((test) => then.get(testKey(test)) === 'passed' && plainChange(path, test.name, before, after) !== undefined)
    .map(({ name }) => ({ ...namesIn(name), file: path, kind: 'changed' as const }))
}
