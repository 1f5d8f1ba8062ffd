import { sayingOf } from './assertion-states.ts'
import type { Matched } from './match.ts'
import { overlap } from './match.ts'
import { literalsIn, type Probe } from './probe.ts'

/** Which of the tests that are gone live on inside others: merged, split, or made rows of a table. */
export function absorbedTests({ gone, pairs, fresh }: Matched, after: readonly Probe[]): ReadonlySet<Probe> {
  const found = new Set<Probe>()
  if (gone.length === 0) return found
  const partner = new Map(pairs.map(([old, now]) => [now, old]))
  const grown = [...fresh, ...pairs.filter(([old, now]) => old.mark !== now.mark).map(([, now]) => now)].map((probe) =>
    gainOf(probe, partner.get(probe)),
  )
  for (const old of gone) {
    const alike = grown.filter(({ probe }) => probe.file.language === old.file.language)
    if (inRow(old, alike) || inAssertions(old, alike) || doubled(old, after)) found.add(old)
  }
  return found
}

interface Gain {
  readonly probe: Probe
  /** Rows and assertions that this test did not have before. Rows are used up by the tests found in them. */
  rows: { readonly literals: ReadonlySet<string>; used: boolean }[]
  readonly assertions: ReadonlySet<string>
}

function gainOf(probe: Probe, before: Probe | undefined): Gain {
  const had = new Set(before?.test.rows ?? [])
  const said = new Set(before?.assertions.map(sayingOf) ?? [])
  return {
    probe,
    rows: (probe.test.rows ?? [])
      .filter((row) => !had.has(row))
      .map((row) => ({ literals: new Set(literalsIn(row)), used: false })),
    assertions: new Set(
      probe.assertions
        .filter(({ strength, lost }) => strength !== 'vacuous' && lost === undefined)
        .map(sayingOf)
        .filter((saying) => !said.has(saying)),
    ),
  }
}

/** The values of the old test stand in one new row, and the code calls what the old test called. */
function inRow(old: Probe, grown: readonly Gain[]): boolean {
  const values = [...old.literals]
  const candidates = grown.flatMap((gain) => gain.rows.filter(({ used }) => !used).map((row) => ({ gain, row })))
  let best: { score: number; row: Gain['rows'][number] } | undefined
  for (const { gain, row } of candidates) {
    if (gain.probe.assertions.every(({ strength }) => strength === 'vacuous') || sharedWords(old, gain.probe) === 0)
      continue
    const inRow = values.filter((value) => row.literals.has(value)).length
    const anywhere = values.filter((value) => row.literals.has(value) || gain.probe.literals.has(value)).length
    const score = values.length === 0 ? 0 : inRow + anywhere / values.length
    if (inRow > 0 && anywhere / values.length >= 0.6 && score > (best?.score ?? 0)) best = { score, row }
  }
  if (best) best.row.used = true
  return best !== undefined
}

const sharedWords = (old: Probe, now: Probe) =>
  [...old.words].filter(
    (word) =>
      now.words.has(word) &&
      !/^(?:assert\w*|expect|toBe|toEqual|to|eq|Assert|Equal|True|False|assert_eq|equal)$/.test(word),
  ).length

/** Everything the old test asserted is asserted by tests that are new or have grown. */
function inAssertions(old: Probe, grown: readonly Gain[]): boolean {
  const said = old.assertions.filter(({ strength, lost }) => strength !== 'vacuous' && lost === undefined)
  return (
    said.length > 0 &&
    said.every((assertion) =>
      grown.some(({ assertions, probe }) => assertions.has(sayingOf(assertion)) && speaksOf(probe, old)),
    )
  )
}

/** The same words and, for the most part, the same values. */
function speaksOf(now: Probe, old: Probe): boolean {
  const values = [...old.literals]
  const there = values.filter((value) => now.literals.has(value)).length
  return overlap(old.words, now.words) > 0.2 && there >= values.length * 0.6
}

/** Another test says the very same: one of two copies was taken out. */
const doubled = (old: Probe, after: readonly Probe[]) => old.text !== '' && after.some((now) => now.mark === old.mark)
