import { count } from '../../../packages/core/src/count.ts'
import { planPath } from '../plan/view.ts'
import type { Check, CheckContext } from '../types.ts'
import type { Checklist } from './checklist.ts'
import { type CheckDefinition, checkOf } from './definition.ts'
import { markdownBlocks } from './markdown-blocks.ts'
import { planAtStart } from './plan-progress.ts'

export interface CriteriaOptions {
  readonly plan?: string
  readonly optionalSections?: readonly string[]
}

const HEADING = /\b(?:acceptance|success) criteria\b/i
/** Often written in bold instead of as a heading. */
const BOLD = /^\W{0,4}(?:acceptance|success) criteria\W{0,6}$/i
const BOX = /^\[[ xX]\]\s/
/** Below every real heading, so that any real heading ends the section of a bold line. */
const BOLD_LEVEL = 7
const REMEDY = 'List them in the prompt or the plan, as checkboxes or under a heading "Acceptance criteria".'

export const criteria: CheckDefinition = {
  name: 'criteria',
  onlyListed: true,
  checksFor: ({ config }) => [criteriaCheck(config)],
}

/** The `criteria` check counts the acceptance criteria. It does not judge whether a test covers one, so the answer is `unknown`. */
export function criteriaCheck(options: CriteriaOptions): Check {
  return checkOf('criteria', (context) => {
    const total = countOf(options, context)
    const detail =
      total === 0
        ? `No acceptance criteria found. ${REMEDY}`
        : `${count(total, 'acceptance criterion', 'acceptance criteria')} to test.`
    return { answer: 'unknown', detail, counts: { total } }
  })
}

/** From the plan as it was at the start, because the agent can edit it; without a plan, from the user's own texts. */
function countOf({ plan, optionalSections = [] }: CriteriaOptions, { workspace, baseline, taskTexts }: CheckContext) {
  const path = plan === undefined ? '' : planPath(workspace.dir, plan)
  const start = path === '' || baseline === undefined ? '' : planAtStart(baseline, { path, optionalSections })
  const planned = typeof start === 'string' ? 0 : partsOf(start)
  return planned > 0 ? planned : taskTexts.reduce((sum, text) => sum + criteriaIn(text), 0)
}

const partsOf = ({ items }: Checklist): number =>
  items.filter(({ optional }) => !optional).reduce((sum, { parts }) => sum + (parts?.total || 1), 0)

/** Counts the items below a criteria heading (only the boxes, if there are any); without such a heading, all boxes. */
export function criteriaIn(markdown: string): number {
  let level: number | undefined
  const counts = { items: 0, boxes: 0, allBoxes: 0 }
  for (const block of markdownBlocks(markdown)) {
    if (block.kind === 'code') continue
    if (block.kind === 'heading') {
      if (block.nested || (level !== undefined && block.level > level)) continue
      level = HEADING.test(block.text) ? block.level : undefined
    } else if (block.opensItem) {
      const box = BOX.test(block.text) ? 1 : 0
      counts.allBoxes += box
      if (level === undefined) continue
      counts.items += 1
      counts.boxes += box
    } else if (BOLD.test(block.text.trim())) level ??= BOLD_LEVEL
  }
  return counts.boxes || counts.items || counts.allBoxes
}
