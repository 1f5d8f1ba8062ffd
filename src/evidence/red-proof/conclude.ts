import type { Answer } from '../../core/types.ts'
import type { JudgedTest, Judgement } from './judge.ts'
import type { AskedTest, RedProofPlan } from './plan.ts'

export interface Conclusion {
  readonly answer: Answer
  readonly detail: string
  readonly counts: Readonly<Record<'proves' | 'vacuous' | 'couldNotRun', number>>
}

const NAMED = 5

/**
 * The rule in words. `no`: more than half of all tests that were asked are vacuous. `yes`: at least one proves
 * something, and of those that could be judged no more than half are vacuous; these are named all the same. `unknown`:
 * everything between, and whenever code that could not be taken back may be what a vacuous test is about.
 */
export function conclude(judged: readonly JudgedTest[], plan: RedProofPlan, mostVacuous = 0.5): Conclusion {
  const those = (judgement: Judgement) => judged.filter((each) => each.judgement === judgement)
  const [proves, vacuous, rest] = [those('proves'), those('vacuous'), those('could-not-run')]
  const counts = { proves: proves.length, vacuous: vacuous.length, couldNotRun: rest.length }
  const refuted = vacuous.length > mostVacuous * judged.length
  const mostlyProven = proves.length > 0 && vacuous.length <= mostVacuous * (proves.length + vacuous.length)
  const answer = refuted ? (plan.stays.length > 0 ? 'unknown' : 'no') : mostlyProven ? 'yes' : 'unknown'
  const sentences = [
    `Of ${judged.length} new or changed ${judged.length === 1 ? 'test' : 'tests'} ${proves.length} ${
      proves.length === 1 ? 'fails' : 'fail'
    } without the changes, as ${proves.length === 1 ? 'it' : 'they'} should.`,
    vacuous.length > 0 && `Vacuous, since they pass without them too: ${list(vacuous)}.`,
    rest.length > 0 && `Could not be judged: ${list(rest, true)}.`,
    loadOnly(proves),
    plan.stays.length > 0 && `Could not be taken back: ${some(plan.stays)}.`,
  ]
  return { answer, detail: sentences.filter((sentence) => sentence !== false).join(' '), counts }
}

function loadOnly(proves: readonly JudgedTest[]): string | false {
  const unloaded = proves.filter(({ failed }) => failed !== true)
  return unloaded.length > 0 && `Counted as failing though only loading failed: ${list(unloaded, true)}.`
}

const labelOf = ({ file, groups, name }: AskedTest) => (name === '' ? file : [...groups, name].join(' > '))

const list = (judged: readonly JudgedTest[], withReason = false) =>
  some(
    judged.map(({ test, why }) => `${labelOf(test)} (${withReason ? why : test.file})`),
    '; ',
  )

const some = (all: readonly string[], between = ', ') =>
  all.slice(0, NAMED).join(between) + (all.length > NAMED ? ` and ${all.length - NAMED} more` : '')
