import type { RefutedTest } from '../../../packages/exitgate/src/checks/originals.ts'
import { isNamed, titleOf } from '../../../packages/exitgate/src/checks/test-names.ts'
import { isTestFile } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Proof } from '../experiments.ts'
import type { TamperFinding, TamperKind } from './finding.ts'

/** Kinds that a run decides: if the original test passes on the new code, the change hides nothing. */
const SETTLED_BY_RUN: ReadonlySet<TamperKind> = new Set([
  'assertion-removed',
  'assertion-weakened',
  'assertion-vacuous',
  'unit-mocked',
  'snapshot-updated',
  'runner-narrowed',
  'script-changed',
  'exit-masked',
  'runner-patched',
  'test-setup-changed',
])

/** What starts the tests. Where it hides something, reading names it better than the tests that need it. */
const STARTS_TESTS: ReadonlySet<TamperKind> = new Set(['runner-narrowed', 'script-changed', 'exit-masked'])

/** The original tests ran on the new code, with the original settings and scripts. So the run decides, and reading only explains. */
export function withOriginals(
  found: readonly TamperFinding[],
  proof: Proof | undefined,
  changedBlock = false,
): readonly TamperFinding[] {
  const { originals, restored = new Set() } = proof ?? {}
  if (originals === undefined || originals.why !== undefined) return found
  const { refuted, unjudged, run } = originals
  const isHidingIn = (file: string) => (each: RefutedTest) =>
    ['lost', 'still-failing'].includes(each.is) && each.needs?.includes(file)
  const isConfirmed = ({ kind, file }: TamperFinding) =>
    STARTS_TESTS.has(kind) && (proof?.broken?.state === 'disarmed' || refuted.some(isHidingIn(file)))
  const isAbout = (test: string) => (each: { readonly name: string }) =>
    isNamed(test, each) || titleOf(each.name) === titleOf(test)
  const filesRun = new Set(run?.tests?.flatMap(({ file }) => file ?? []))
  const ranIn = (file: string) => filesRun.size === 0 || filesRun.has(file) || !isTestFile(file)
  const isDecided = (finding: TamperFinding) => {
    const { kind, file, test = '', detail } = finding
    return (
      SETTLED_BY_RUN.has(kind) &&
      !isConfirmed(finding) &&
      restored.has(file) &&
      ranIn(file) &&
      isPartOfTests(file, detail) &&
      !unjudged.some(isAbout(test))
    )
  }
  const read = found.filter((each) => each.severity !== 'block' || !isDecided(each))
  const known = read.flatMap(({ test, severity }) => (severity === 'block' && test !== undefined ? [test] : []))
  const confirmed = read.filter((each) => each.severity === 'block' && isConfirmed(each))
  const ran = refuted
    .filter((each) => !known.some((test) => isAbout(test)(each)))
    .filter((each) => !confirmed.some(({ file }) => isHidingIn(file)(each)))
    .flatMap((each) => findingOf(each, changedBlock) ?? [])
  return [...read, ...ran]
}

/** Commands other than the tests did not run with their original scripts. */
const isPartOfTests = (file: string, detail: string): boolean =>
  !/(?:^|\/)package\.json$/.test(file) ||
  !detail.startsWith('Script "') ||
  /^Script "(?:pre|post)?test[":]/.test(detail)

const KINDS: Readonly<Record<string, TamperKind>> = {
  gone: 'test-removed',
  skipped: 'test-skipped',
  weaker: 'assertion-weakened',
  unread: 'assertion-removed',
}

function findingOf(
  { name, file = '', is, successor, needs = [] }: RefutedTest,
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
      const detail = `Test "${titleOf(name)}" passes only with ${files}. Review that.`
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
