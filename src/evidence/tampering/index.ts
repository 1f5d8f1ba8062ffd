import { withGrammars } from '../syntax/parse.ts'
import { changesBetween } from './changes.ts'
import { ciFindings } from './commands/ci.ts'
import { scriptFindings } from './commands/scripts.ts'
import { undeclaredModuleFindings } from './compare/removed-tests.ts'
import { setUpSkipFindings } from './compare/skips.ts'
import { testFindings } from './compare/tests.ts'
import { lockFindings } from './dependencies/lock-files.ts'
import type { SourceView, TamperFinding, TamperOptions } from './finding.ts'
import { withoutDuplicates } from './finding.ts'
import { gateFindings } from './gate.ts'
import { thresholdFindings } from './settings/thresholds.ts'
import { patchedAssertionFindings, specialCaseFindings } from './special-case.ts'
import { suppressionFindings } from './suppressions.ts'

export type { Allowance, SourceView, TamperFinding, TamperOptions } from './finding.ts'

/** Each detector looks for one kind of change. A new one is one file and one line here. */
const DETECTORS = [
  testFindings,
  undeclaredModuleFindings,
  setUpSkipFindings,
  thresholdFindings,
  scriptFindings,
  ciFindings,
  gateFindings,
  specialCaseFindings,
  patchedAssertionFindings,
  lockFindings,
  suppressionFindings,
]

/** Finds weakened tests, and changes to what runs them, between two trees. */
export async function findTampering(
  before: SourceView,
  after: SourceView,
  options: TamperOptions = {},
): Promise<readonly TamperFinding[]> {
  const changes = changesBetween(before, after, options)
  if (changes.all.length === 0) return []
  const found = await withGrammars(() => DETECTORS.flatMap((detect) => detect(changes)))
  return withoutDuplicates(found, options.allow)
}
