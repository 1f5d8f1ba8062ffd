import { nearest } from '../../packages/core/src/nearest.ts'
import { CHECK_COUNTS } from '../core/check-counts.ts'
import type { Answer, EvidenceSet } from '../core/types.ts'
import { readGivenWith } from '../evidence/given/reader.ts'

type Counts = typeof CHECK_COUNTS
export type CheckName = keyof Counts

/** The result of one check: an answer, or the counts it follows from. */
export type CheckInput<Count extends string = string> =
  | boolean
  | Answer
  | (Readonly<Partial<Record<Count, number>>> & { readonly answer?: Answer; readonly detail?: string })

/**
 * Evidence you gathered yourself, with one entry per check. `Own` lists the names of your own checks and commands.
 *
 * ```ts
 * const evidence: EvidenceInput = { tests: { passed: 12, failed: 0 }, changed: true }
 * ```
 */
export type EvidenceInput<Own extends string = never> = {
  readonly [Check in CheckName]?: CheckInput<Counts[Check][number]>
} & { readonly [Check in Own]?: CheckInput }

/** Converts the input to the form decisions use. Throws on an unknown name and suggests the nearest one. */
export function readEvidence(input: EvidenceInput<string>, own: readonly string[] = []): EvidenceSet {
  const known = [...Object.keys(CHECK_COUNTS), ...own]
  for (const [check, value] of Object.entries(input)) {
    if (!known.includes(check)) throw new TypeError(unknownName('check', check, known))
    const counts: readonly string[] | undefined = Object.hasOwn(CHECK_COUNTS, check)
      ? CHECK_COUNTS[check as CheckName]
      : undefined
    if (counts === undefined || typeof value !== 'object' || value === null) continue
    const fields = [...counts, 'answer', 'detail']
    const invalid = Object.keys(value).find((field) => !fields.includes(field))
    if (invalid !== undefined) throw new TypeError(unknownName(`value of the check "${check}"`, invalid, fields))
  }
  const { evidence, problems } = readGivenWith(() => undefined, input)
  const wrong = problems.filter((problem) => !problem.endsWith('Its evidence is kept under that name.'))
  if (wrong.length > 0) throw new TypeError(wrong.join(' '))
  return evidence
}

function unknownName(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  const hint = near === undefined ? ` Known names: ${known.join(', ')}.` : ` Did you mean "${near}"?`
  return `unknown ${what}: "${name}".${hint}`
}
