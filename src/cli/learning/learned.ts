import { policyFor } from '../../core/presets/index.ts'
import { examplesOf } from '../../learning/examples.ts'
import { labelsOf } from '../../learning/labels.ts'
import { judgeShown } from '../../learning/learn.ts'
import type { Reliability, Report } from '../../reports/page/types.ts'
import { eventsIn, withThoseAside } from '../history/journals.ts'
import { eventsOf } from './past.ts'

/** How well the confidence that was shown in the labelled runs of a workspace has told good work from bad. */
export function reliabilityIn(dir: string): Reliability | undefined {
  const labels = labelsOf(eventsOf(dir))
  if (labels.size === 0) return undefined
  const examples = withThoseAside(dir).flatMap((each) => examplesOf(eventsIn(each, dir), labels, policyFor))
  const judged = judgeShown(examples)
  if (judged === undefined) return undefined
  const good = examples.filter(({ label }) => label === 'good').length
  return { good, bad: examples.length - good, ...judged }
}

/** For the report of one run. */
export function learnedIn(dir: string, run: string): Pick<Report, 'label' | 'reliability'> {
  const label = labelsOf(eventsOf(dir)).get(run)
  const reliability = reliabilityIn(dir)
  return { ...(label && { label }), ...(reliability && { reliability }) }
}
