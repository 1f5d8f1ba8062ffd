import { count, listOf } from '../../../packages/core/src/count.ts'
import { commandsExit } from '../../../packages/exitgate/src/checks/exit-code.ts'
import { provenText } from '../../../packages/exitgate/src/checks/proven.ts'
import type { Answer, Evidence, EvidenceSet } from '../types.ts'

/** How people read an answer. Programs get `yes`, `no` and `unknown`. */
export const ANSWER_TEXT: Readonly<Record<Answer, string>> = { yes: 'pass', no: 'fail', unknown: 'unknown' }

/** What a check is called for people, and what its failure is called. Any other check goes by its own name. */
const TITLES: Readonly<Record<string, readonly [title: string, failure: string]>> = {
  tests: ['tests', 'tests fail'],
  changed: ['files changed', 'no files changed'],
  clean: ['no uncommitted changes', 'uncommitted changes'],
  checklist: ['plan', 'plan not finished'],
  criteria: ['acceptance criteria', 'acceptance criteria not met'],
  'task-done': ['task done', 'task not done'],
  artifacts: ['required files', 'required files missing'],
  documents: ['documents', 'documents not finished'],
  tampering: ['tests intact', 'tests weakened'],
  proven: ['proven', 'not proven'],
  'special-cased': ['results computed', 'tests special-cased'],
  mutation: ['changes tested', 'changed functions not tested'],
  'baseline-tests': ['original tests', 'original tests fail'],
  examples: ['examples', 'examples fail'],
  'held-out': ['held-out tests', 'held-out tests fail'],
  review: ['review', 'review not passed'],
  flakes: ['stable results', 'flaky tests'],
  quality: ['code quality', 'code quality'],
}

/** `tests intact` for `tampering`: a title for which "pass" means what it says. */
export const checkTitle = (check: string): string => TITLES[check]?.[0] ?? check
export const failureTitle = (check: string): string => TITLES[check]?.[1] ?? `${check} fails`

/** Tests that were changed by your leave are not intact. */
const CHANGED: Readonly<Record<string, string>> = { tampering: 'test changes', 'special-cased': 'special cases' }

/** The title for what was found. */
export function titleOf({ check, answer, counts = {}, accepted = [] }: Evidence): string {
  const what = answer === 'yes' ? CHANGED[check] : undefined
  if (check === 'proven' && answer === 'yes' && counts.proves === 0) return 'proof'
  if (what === undefined || !(counts.warnings || counts.accepted || accepted.length > 0)) return checkTitle(check)
  return counts.warnings ? `${what} to review` : `${what} accepted`
}

/** `tests 2/4`: the title with what was counted. */
export function countedTitle(evidence: Evidence): string {
  const { counts = {}, quick } = evidence
  const done = counts.passed ?? counts.done ?? counts.met
  const { total } = counts
  const title = `${titleOf(evidence)}${done === undefined || total === undefined ? '' : ` ${done}/${total}`}`
  return quick ? `${title} (quick)` : title
}

/** Checks that are only information, unless the configuration requires them. */
const INFORMATION: readonly string[] = ['clean', 'task-done', 'quality']
export const isInformation = (check: string, required: readonly string[] = []): boolean =>
  INFORMATION.includes(check) && !required.includes(check)

/** A required check without an answer: what is missing, and what to set. */
export function notGathered(check: string, gathered: EvidenceSet): string {
  if (Object.keys(gathered).length === 0) return `${checkTitle(check)}: not checked`
  if (check === 'tests') return 'no test command found. Pass --test "..." or set commands.test'
  if (check === 'checklist') return 'no plan found. Pass --plan FILE or set plan'
  if (['build', 'lint', 'typecheck'].includes(check)) return `no ${check} command found. Set commands.${check}`
  return `"${check}" is required, but nothing checked it`
}

/** A check that passed, as part of a sentence. */
export function passPhrase(evidence: Pick<Evidence, 'check'> & Partial<Evidence>): string {
  const { check, counts = {}, work, ranIn, accepted = [], changes = [], proof } = evidence
  const { total, passed, done, met } = counts
  switch (check) {
    case 'tests':
      return (
        (passed === undefined || total === undefined ? 'the tests pass' : testsPass(counts, accepted)) +
        placeNote(ranIn)
      )
    case 'checklist':
      return total === undefined ? 'the plan is done' : `${done ?? total} of ${total} plan items done`
    case 'criteria':
      return total === undefined ? 'the criteria are met' : `${met ?? total} of ${total} criteria met`
    case 'tampering':
    case 'special-cased':
      return changesPhrase({ check, counts, accepted, changes })
    case 'changed': {
      const files = work === undefined ? (counts.files ?? 0) : Object.keys(work.files).length
      return files > 0 ? `${count(files, 'file')} changed` : 'files changed'
    }
    case 'proven':
      return provenText(counts.proves, proof)
    case 'mutation': {
      const { killed = 0, mutants = 0, untested = 0 } = counts
      const warning = untested > 0 ? ` (${count(untested, 'changed function')} not tested)` : ''
      return mutants > 0 ? `${killed} of ${count(mutants, 'mutant')} killed${warning}` : 'no function changed'
    }
    case 'baseline-tests':
      if (accepted.length > 0) return `you accepted ${count(accepted.length, 'original test')} that fails or is flaky`
      return counts.fixed
        ? `${count(counts.fixed, 'fixed test passes', 'fixed tests pass')} in the original version too`
        : 'no original test turned out to be flaky'
    default:
      return `${checkTitle(check)} passed`
  }
}

type Changes = Required<Pick<Evidence, 'check' | 'counts' | 'accepted' | 'changes'>>

/** What was changed in the tests, and by whose leave. */
function changesPhrase({ check, counts, accepted, changes }: Changes): string {
  const what = check === 'tampering' ? 'test change' : 'special case'
  const those = (whose: string, n: number, of: readonly { readonly file?: string; readonly detail: string }[]) => {
    const names = of.map(({ file = '', detail }) => `${file}: ${withoutPeriod(detail.split('. ')[0]!)}`)
    return n === 0 ? [] : [`${whose}: ${count(n, what)}${names.length === 0 ? '' : ` (${listOf(names, 2)})`}`]
  }
  const by = (who: string) => accepted.filter((each) => each.by === who)
  const rules = RULES.map((rule) => those(`allowed by ${rule}`, by(rule).length, by(rule)))
  const yours = accepted.filter((each) => !RULES.includes(each.by))
  const open = changes.filter(({ blocks }) => !blocks)
  const found = [
    ...those('accepted by you', counts.accepted ?? yours.length, yours),
    ...rules.flat(),
    ...those('to review', counts.warnings ?? 0, open),
  ]
  return found.length > 0 ? found.join(', ') : check === 'tampering' ? 'no test was weakened' : 'no special case found'
}

/** What allows a finding without an id to accept. */
const RULES: readonly string[] = ['evidence.allow', '--allow-test-changes']

/** Only the exception is worth a place in the sentence. */
const placeNote = (ranIn: Evidence['ranIn']): string =>
  ranIn === undefined || ranIn.cleanRoom ? '' : ` (not in a clean room: ${ranIn.why})`

function testsPass(counts: Evidence['counts'] & {}, accepted: Evidence['accepted'] & {}) {
  const { total = 0, passed = 0, runs = 1, confirmed = 0, fixed = 0, skipped = 0 } = counts
  const { excused = 0, unsteady = 0, gone = 0, left = 0, byExitCode = 0, added = 0 } = counts
  const excusedByUser = excused - unsteady - left
  const more = [
    ...(runs > 1 ? [runs === 2 ? 'run twice' : `run ${runs} times`] : []),
    ...(confirmed > 0 ? [`${confirmed} of them twice`] : []),
    ...(fixed > 0 ? [`${fixed} newly fixed`] : []),
    ...(added > 0 ? ['the agent added the test command'] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(gone > 0
      ? [`${gone} gone${accepted.some(({ kind }) => kind === 'test-missing') ? ' and accepted by you' : ''}`]
      : []),
    ...(excusedByUser > 0 ? [`${count(excusedByUser, 'accepted failure')}`] : []),
    ...(left > 0 ? [`${count(left, 'failure')} left to other tasks`] : []),
    ...(unsteady > 0 ? [`${count(unsteady, 'unsteady test')} not counted`] : []),
  ]
  const pass =
    byExitCode > 0 ? inSentence(commandsExit(total, 0)) : `${passed} of ${count(total, 'test passes', 'tests pass')}`
  return `${pass}${more.length === 0 ? '' : ` (${more.join(', ')})`}`
}

const inSentence = (text: string): string => text[0]!.toLowerCase() + text.slice(1)

/** A check that failed or could not answer, with its numbers and names, as the end of a sentence. */
export function failPhrase({ check, answer, detail, counts = {}, named, changes = [] }: Evidence): string {
  const { total = 0, failed = 0, excused = 0, open = 0, missing = 0 } = counts
  const plain = withoutPeriod(detail) || (answer === 'no' ? failureTitle(check) : 'no answer')
  switch (answer === 'no' ? check : '') {
    case 'tests': {
      const gone = missing > 0 ? count(missing, 'earlier test no longer runs', 'earlier tests no longer run') : ''
      if (failed <= excused) return gone || plain
      const names = named?.failing ?? []
      const which = names.length === 0 ? '' : `: ${listOf(names.map((name) => `"${name}"`))}`
      const fail = counts.byExitCode
        ? inSentence(commandsExit(total, failed - excused))
        : `${failed - excused} of ${count(total, 'test fails', 'tests fail')}`
      return `${fail}${which}${gone === '' ? '' : `. ${gone}`}`
    }
    case 'checklist':
      return open > 0 ? `${open} of ${count(total, 'plan item')} ${open === 1 ? 'is' : 'are'} open` : plain
    case 'tampering': {
      const [first, ...others] = changes.filter(({ blocks }) => blocks)
      if (first === undefined) return `tests weakened: ${plain}`
      const place = `${first.file}${first.line === undefined ? '' : `:${first.line}`}`
      const more = (counts.blocking ?? others.length + 1) - 1
      return `tests weakened in ${place}: ${withoutPeriod(first.detail)}${more > 0 ? `. ${count(more, 'more finding')}` : ''}`
    }
    case 'changed':
      return plain
    default:
      return `${answer === 'no' || check === 'flakes' ? failureTitle(check) : checkTitle(check)}: ${plain}`
  }
}

/** The tests first, and last what says the least about the work. */
export function inOrder(evidence: EvidenceSet): readonly Evidence[] {
  const rank = ({ check }: Evidence): number => {
    if (check === 'tests') return 0
    return check === 'changed' ? 2 : check === 'clean' ? 3 : 1
  }
  return Object.values(evidence).sort((a, b) => rank(a) - rank(b))
}

const withoutPeriod = (text: string): string => text.trim().replace(/\.$/, '')
