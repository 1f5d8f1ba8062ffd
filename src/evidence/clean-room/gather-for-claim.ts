import type { EvidenceSet, RanIn } from '../../core/types.ts'
import { isFull } from '../baseline/stored-baseline.ts'
import { type GatheredOnce, type GatherOptions, gatherOnce, type Setting, withPlace } from '../gather-once.ts'
import { listPaths } from '../test-results/sentences.ts'
import { openClaimRoom } from './claim-room.ts'
import { notPassing, whyNotAsGood } from './compare-places.ts'
import { includedEntries } from './included-files.ts'
import { buildFirst, namedIn } from './try-room.ts'

/** Gathers evidence in a clean room, or in place if there is none. */
export async function gatherForClaim(setting: Setting, options: GatherOptions): Promise<GatheredOnce> {
  const mode = options.config.evidence.cleanRoom ?? 'auto'
  const { baseline, workspace, seen, outputs } = setting
  const stored = baseline !== undefined && isFull(baseline) ? baseline : undefined
  const recipe = stored?.room
  const inPlace = async (why: string, isRequired = mode === 'required') =>
    outsideRoom(await gatherOnce(setting, options), ranIn(setting, why), isRequired)
  if (mode === 'off') return inPlace('turned off by evidence.cleanRoom')
  if (seen === undefined) return inPlace('the files could not be listed')
  if (mode === 'auto' && recipe?.use === false) return inPlace(recipe.why)
  const included = recipe === undefined ? await namedIn(setting, options) : (stored?.included?.() ?? new Map())
  const room = await openClaimRoom({
    workspace,
    seen,
    outputs,
    stateDir: options.stateDir,
    allow: options.config.evidence.passEnv,
    included: includedEntries(included),
    since: recipe === undefined ? undefined : stored?.at,
    signal: options.signal,
    ...(recipe?.use === true && recipe.build === true && { prepare: buildFirst(setting, options) }),
  })
  // It worked before the first iteration, so something that happened since then prevents it.
  if (typeof room === 'string') return inPlace(room, recipe?.use === true || mode === 'required')
  try {
    const once = await gatherOnce({ ...setting, workspace: room.workspace, openRoom: room.openRoom }, options)
    const found = settled(once, await room.changes(), ranIn(setting))
    const more = { ...found, problems: [...room.problems, ...found.problems] }
    // Before this project ever ran in a room, a failure there may only show that it needs an ignored file.
    const unsure = recipe === undefined && mode === 'auto' && options.signal?.aborted !== true
    const failing = unsure ? notPassing(once.evidence) : new Set<string>()
    if (failing.size === 0) return more
    const place = await gatherOnce({ ...setting, only: failing }, options)
    const why = whyNotAsGood(place, once, options)
    if (why === undefined) return more
    return { ...place, evidence: { ...more.evidence, ...withPlace(place.evidence, ranIn(setting, why)) } }
  } finally {
    await room.close()
  }
}

function ranIn({ workspace }: Setting, why?: string): RanIn {
  const name = workspace.sandbox?.sandbox.name
  return {
    cleanRoom: why === undefined,
    ...(why !== undefined && { why }),
    ...(name !== undefined && { sandbox: name }),
  }
}

/** Checks that read files looked at the project, so it must still be the tree that was copied. */
function settled(once: GatheredOnce, changed: readonly string[], place: RanIn): GatheredOnce {
  const evidence = withPlace(once.evidence, place)
  if (changed.length === 0) return { ...once, evidence }
  const why = `Files of the project changed while exitgate checked it: ${listPaths(changed)}.`
  return { ...once, evidence: withdrawn(evidence, ['tests', 'tampering', 'checklist'], why) }
}

function outsideRoom(once: GatheredOnce, place: RanIn, isRequired: boolean): GatheredOnce {
  const evidence = withPlace(once.evidence, place)
  if (!isRequired) return { ...once, evidence }
  const names = Object.values(evidence).flatMap((each) => (each.ranIn === undefined ? [] : [each.check]))
  const why = `There is no clean room to check this claim in: ${place.why}. evidence.cleanRoom: "off" checks it in the project itself.`
  return { ...once, evidence: withdrawn(evidence, names, why) }
}

/** A pass that can't be relied on is unknown. */
const withdrawn = (evidence: EvidenceSet, names: readonly string[], why: string): EvidenceSet =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, each]) => [
      name,
      names.includes(name) && each.answer === 'yes'
        ? { ...each, answer: 'unknown', detail: `${why} ${each.detail}` }
        : each,
    ]),
  )
