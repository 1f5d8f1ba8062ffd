import {
  checkTitle,
  countedTitle,
  failureTitle,
  inOrder,
  isInformation,
  titleOf,
} from '../../core/policy/check-text.ts'
import type { Evidence, EvidenceSet } from '../../core/types.ts'
import { clean } from './clean.ts'
import { ANSWER_TONES, type Line, type Look, marksOf, span } from './line.ts'

/** Checks whose title is the same whatever they answer, because counts or the mark say the rest. */
const SAME_TITLE: readonly string[] = ['tests', 'checklist', 'criteria', 'documents', 'artifacts', 'review']

/** `tests`, `tests weakened`: a title that fits the answer. */
export const shownTitle = (each: Evidence): string =>
  clean(isFailureTitle(each) ? failureTitle(each.check) : titleOf(each))

const isFailureTitle = ({ check, answer }: Evidence): boolean =>
  check === 'flakes' || (answer === 'no' && checkTitle(check) !== check && !SAME_TITLE.includes(check))

/** The same with what was counted: `tests 2/4`. */
const checkLabel = (each: Evidence): string => (isFailureTitle(each) ? shownTitle(each) : clean(countedTitle(each)))

/** `✓ files changed  ✗ tests 2/4  (not required: uncommitted changes)` */
export function checkMarks(evidence: EvidenceSet, required: readonly string[] | undefined, look: Look): Line {
  const all = inOrder(evidence)
  const rest = all.filter(({ check, answer }) => isInformation(check, required) && answer === 'no').map(checkLabel)
  const counted = all
    .filter(({ check }) => !isInformation(check, required))
    .flatMap((each, at): Line => {
      const mark = span(`${at === 0 ? '' : '  '}${marksOf(look).answers[each.answer]} `, ANSWER_TONES[each.answer])
      return [mark, span(checkLabel(each))]
    })
  return rest.length === 0 ? counted : [...counted, span(`  (not required: ${rest.join(', ')})`, 'dim')]
}
