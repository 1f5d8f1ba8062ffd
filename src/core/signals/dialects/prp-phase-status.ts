import { type Block, type Dialect, linesOf } from '../dialect.ts'
import { answerOf } from '../field-answers.ts'
import { type Field, lastValue } from '../fields.ts'
import { headedBlocks } from '../headed-blocks.ts'
import type { Line } from '../lines.ts'
import { markedBlocks } from '../marked-blocks.ts'

const METRICS = /^([A-Z]+_PHASE_METRICS)\.([A-Z0-9_]+)$/
const METRICS_HEADER = /\b([A-Z]+_PHASE_METRICS)\b/
/** Three documents use three names for the same flag. */
const NO_IMPROVEMENTS = new Set([
  'NO_MORE_IMPROVEMENTS_IDENTIFIED',
  'NO_IMPROVEMENTS_FOUND',
  'NO_IMPROVEMENTS_IDENTIFIED',
])
/** Only the block itself may set these, not a separate report. */
const OWN = new Set([
  'PHASE',
  'STATUS',
  'ITERATION',
  'EXIT_SIGNAL',
  'TIMESTAMP',
  'RECOMMENDATION',
  'REMAINING_WORK',
  'BLOCKERS',
])

/** ---PRP_PHASE_STATUS--- with its sections, and *_PHASE_METRICS reports inside or outside it. */
export const prpPhaseStatus: Dialect = {
  name: 'prp-phase-status',
  requiredField: 'EXIT_SIGNAL',
  find: ({ lines }) => {
    const marked = markedBlocks('prp-phase-status', 'PRP_PHASE_STATUS', lines)
    const held = linesOf(marked)
    return [...marked.map(withShortNames), ...reports(lines).filter(({ at }) => !held.has(at))]
  },
  claim: (fields) => answerOf(fields, 'EXIT_SIGNAL'),
}

/** Separate reports are in a YAML fence or bare, each with its own header. */
function reports(lines: readonly Line[]): Block[] {
  const names = new Set(lines.flatMap(({ text }) => METRICS_HEADER.exec(text)?.[1] ?? []))
  return [...names].slice(0, 8).flatMap((name) =>
    headedBlocks('prp-phase-status', name, new Set(), lines).map((block) =>
      withShortNames({
        ...block,
        fields: block.fields.map(({ key, value }) => ({ key: `${name}.${key}`, value })),
        fieldsOnly: true,
      }),
    ),
  )
}

/** `GREEN_PHASE_METRICS.TESTS_TOTAL` also counts as `TESTS_TOTAL`, unless the block sets that itself. */
function withShortNames(block: Block): Block {
  const more: Field[] = []
  for (const { key, value } of block.fields) {
    const name = METRICS.exec(key)?.[2] ?? (key.includes('.') ? undefined : key)
    if (name === undefined || OWN.has(name)) continue
    if (lastValue(block.fields, name) === undefined) more.push({ key: name, value })
    if (NO_IMPROVEMENTS.has(name)) more.push({ key: 'NO_IMPROVEMENTS', value })
  }
  return { ...block, fields: [...block.fields, ...more] }
}
