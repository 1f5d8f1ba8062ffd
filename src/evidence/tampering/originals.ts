import { count } from '../../../packages/core/src/count.ts'
import type { RefutedTest } from '../../../packages/exitgate/src/checks/originals.ts'
import { mayDiffer } from '../../../packages/exitgate/src/checks/skip-conditions.ts'
import { isNamed, titleOf } from '../../../packages/exitgate/src/checks/test-names.ts'
import { perFile } from '../../../packages/exitgate/src/checks/unclear.ts'
import type { TestCase } from '../../../packages/test-output/src/types.ts'
import type { Proof } from '../experiments.ts'
import type { TamperFinding, TamperKind } from './finding.ts'

/** What reading found, and what the original tests showed on the new code. */
export function withOriginals(
  found: readonly TamperFinding[],
  proof: Proof | undefined,
  before: readonly TestCase[] = [],
  isAccepted: (finding: TamperFinding) => boolean = () => false,
  changedBlock = false,
  now: readonly TestCase[] = [],
): readonly TamperFinding[] {
  const { originals, isNamed: isCompared } = proof ?? {}
  if (originals === undefined || originals.why !== undefined) return found
  const isAbout = (test: string) => (each: Pick<TestCase, 'name'>) =>
    isNamed(test, each) || titleOf(each.name) === titleOf(test)
  // Run A refuses a test that is gone and that no other test replaces, and run B shows that the rest hides nothing.
  const isDecided = (finding: TamperFinding) => {
    const { kind, test, tests = [test ?? ''] } = finding
    return (
      isCompared === true &&
      !isAccepted(finding) &&
      (kind === 'test-removed' || kind === 'test-file-deleted') &&
      tests.length > 0 &&
      tests.every((each) => before.some(isAbout(each)))
    )
  }
  // A test with a new condition ran all the same.
  const hasRun = ({ kind, test, detail }: TamperFinding) => {
    const condition = /\(condition: (.*)\)/s.exec(detail)?.[1]
    const cases = test === undefined ? [] : now.filter(isAbout(test))
    const isAlways = cases.length > 0 && cases.every(({ state }) => state === 'passed')
    return (
      isCompared === true && kind === 'test-skipped' && isAlways && condition !== undefined && !mayDiffer(condition)
    )
  }
  const read = found
    .filter((each) => !isDecided(each))
    .map((each): TamperFinding => (hasRun(each) ? { ...each, severity: 'warn' } : each))
  const known = read.flatMap(({ test, severity }) => (severity === 'block' && test !== undefined ? [test] : []))
  const ran = perFile(originals.refuted).filter((each) => !known.some((test) => isAbout(test)(each)))
  return [...read, ...ran.flatMap((each) => findingOf(each, changedBlock) ?? [])]
}

const KINDS: Readonly<Record<string, TamperKind>> = {
  gone: 'test-removed',
  skipped: 'test-skipped',
  weaker: 'assertion-weakened',
  replaced: 'assertion-weakened',
  unread: 'assertion-removed',
}

function findingOf(
  { name, file = '', is, successor, needs = [], others = 0 }: RefutedTest & { readonly others?: number },
  changedBlock: boolean,
): TamperFinding | undefined {
  const { line, before, after, why } = successor ?? {}
  const place = { file: successor?.file ?? (file || needs[0] || ''), test: name, ...(line !== undefined && { line }) }
  const texts = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
  const fails = `Test "${titleOf(name)}" fails in its original version`
  const files = needs.slice(0, 3).join(', ')
  switch (is) {
    case 'lost': {
      const said = why?.replace(/^Test "[^"]*": /, '').replace(/ Restore it\.$/, '')
      const what = successor === undefined ? 'it is gone' : (said ?? WHAT[successor.is] ?? 'it checks less now')
      const kind = needs.length > 0 ? 'test-setup-changed' : (KINDS[successor?.is ?? ''] ?? 'test-removed')
      const detail =
        needs.length > 0
          ? `Test "${titleOf(name)}" passes only with this change: ${why?.replace(/\.$/, '') ?? files}. Fix the code, and restore ${files}.`
          : `${fails}: ${what.replace(/\.$/, '')}. Fix the code, or restore the test.`
      return { kind, severity: 'block', ...place, ...texts, detail }
    }
    case 'still-failing': {
      const [cause, restore] =
        needs.length > 0 ? [`with the changed ${files}`, files] : ['because it was changed', 'the test']
      const detail = `Test "${titleOf(name)}" failed before the run, and passes only ${cause}. Fix the code, and restore ${restore}.`
      return { kind: 'expectation-changed', severity: 'block', ...place, ...texts, detail }
    }
    case 'changed':
    case 'unread': {
      const what = is === 'unread' ? `${CHANGED}, and could not be read` : CHANGED
      const detail = `Test "${titleOf(name)}" ${what}${why === undefined ? '' : `: ${why.replace(/\.$/, '')}`}. Review it.`
      return { kind: 'expectation-changed', severity: changedBlock ? 'block' : 'warn', ...place, ...texts, detail }
    }
    case 'helped': {
      const more = others === 0 ? 'passes' : `and ${count(others, 'other')} pass`
      const detail = `Test "${titleOf(name)}" ${more} only with ${files}. Review that.`
      return { kind: 'test-setup-changed', severity: 'warn', ...place, detail }
    }
    default:
      return undefined
  }
}

const CHANGED = 'expects something else now'
/** Whether a finding is about a test that expects something else, as strictly as before. */
export const isChanged = (detail: string): boolean => detail.includes(CHANGED)

const WHAT: Readonly<Record<string, string>> = { gone: 'it is gone', skipped: 'it is skipped now' }
