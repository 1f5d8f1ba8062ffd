import type { Assertion } from '../assertions/model.ts'
import { short } from '../findings.ts'
import type { TamperFinding } from '../types.ts'
import { type Arrivals, covered, errorGone, inRows, looped, moved } from './accounted.ts'
import { alive, closeness, literalsOf, wordsOf } from './assertion-states.ts'
import { type Paired, pairLoosely, pairUp, type Surroundings } from './pairing.ts'
import type { Probe } from './probe.ts'
import { weaker } from './weaker.ts'

/** A test before and after, with those of its assertions that plainly correspond. */
export interface Comparison extends Paired {
  readonly before: Probe
  readonly after: Probe
}

export function compareAssertions(before: Probe, after: Probe, around: Surroundings): Comparison {
  return { before, after, ...pairUp(before, after, around) }
}

/** What tests asserted before and do not any more. */
export function assertionFindings(
  { before, after, ...paired }: Comparison,
  arrivals: Arrivals,
  around: Surroundings,
): TamperFinding[] {
  const said = (
    kind: TamperFinding['kind'],
    severity: TamperFinding['severity'],
    old: Assertion,
    now: Assertion | undefined,
    why: string,
  ): TamperFinding => ({
    kind,
    severity,
    file: now ? after.file.path : before.file.path,
    line: now?.line ?? old.line,
    before: short(old.text),
    ...(now && { after: short(now.text) }),
    detail: `${where(after)}: ${why}.`,
  })
  const stays = paired.lost.filter((old) => !moved(old, after, arrivals))
  const { pairs, lost, left } = pairLoosely({ ...paired, lost: stays })
  const tight = new Set(paired.pairs)
  const findings = pairs.flatMap((pair): TamperFinding[] => {
    const [old, now] = pair
    const loss = weaker(old, now, tight.has(pair) || closeness(old, now) > 0.2)
    return loss ? [said(loss.kind, loss.severity, old, now, loss.why)] : []
  })
  const remaining = after.assertions.filter(alive)
  const hollow = left.filter((each) => !alive(each))
  for (const old of lost) {
    if (
      covered(old, remaining, pairs) ||
      errorGone(old, after) ||
      inRows(old, before, after) ||
      looped(old, pairs, before, after)
    )
      continue
    const reason = around.vanished.reason(wordsOf(old), literalsOf(old))
    const instead = hollow.shift()
    if (instead)
      findings.push(said('assertion-vacuous', 'block', old, instead, instead.lost ?? instead.why ?? 'it cannot fail'))
    else
      findings.push(
        said(
          'assertion-removed',
          reason === undefined ? 'block' : 'warn',
          old,
          undefined,
          reason === undefined ? 'this is not asserted any more' : `this is not asserted any more; ${reason}`,
        ),
      )
  }
  return findings
}

const where = ({ test }: Probe) =>
  test.kind === 'helper' ? `In the helper "${test.name}"` : `In the test "${test.name}"`
