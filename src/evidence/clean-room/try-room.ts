import { relative } from 'node:path'
import { repositoryRoot } from '../../system/git.ts'
import type { RoomRecipe } from '../baseline/stored-baseline.ts'
import { longestMs } from '../deadlines.ts'
import { preferred } from '../detect/index.ts'
import { type GatheredOnce, type GatherOptions, gatherOnce, type Setting } from '../gather-once.ts'
import { listPaths } from '../test-results/sentences.ts'
import type { CommandResult, Detected, Workspace } from '../types.ts'
import { openClaimRoom } from './claim-room.ts'
import { notPassing, whyNotAsGood } from './compare-places.ts'
import { includedEntries, namedFiles, otherIgnored } from './included-files.ts'

type Files = ReadonlyMap<string, Buffer>

/** The evidence before the first iteration, and what was learned about the clean room. */
export interface Tried {
  readonly collected: GatheredOnce
  /** Absent if no clean room is wanted. */
  readonly room?: RoomRecipe
  readonly included: Files
}

/**
 * Runs the checks in a clean room, before the agent had a chance to change anything. If they pass there only with the project's build
 * or with ignored files, later rooms get these. If they don't, later claims are checked in place.
 */
export async function tryRoom(setting: Setting, options: GatherOptions): Promise<Tried> {
  const { cleanRoom: mode = 'auto' } = options.config.evidence
  const isAborted = () => options.signal?.aborted === true
  const named = await namedIn(setting, options)
  const inPlace = (more: Partial<Setting> = {}) =>
    gatherOnce({ ...setting, where: 'in the project itself', ...more }, options)
  if (mode === 'off') return { collected: await inPlace({ where: undefined }), included: named }
  const first = await inRoom(setting, options, { included: named })
  if (typeof first === 'string')
    return { collected: await inPlace(), room: { use: false, why: first }, included: named }
  const only = notPassing(first.evidence)
  if (only.size === 0 || isAborted()) return { collected: first, room: { use: true }, included: named }
  const place = await inPlace({ only, toCompare: true, where: 'in the project itself, to compare' })
  const why = whyNotAsGood(place, first, options)
  if (why === undefined || isAborted()) return { collected: first, room: { use: true }, included: named }
  const build = buildCommands(setting, options).length > 0
  for (const included of [...(build ? [named] : []), new Map([...(await ignoredIn(setting)), ...named])]) {
    const more = [build ? ' after the build' : '', included === named ? '' : ' with ignored files'].join('')
    const again = await inRoom(setting, options, { included, build, only, more })
    if (typeof again === 'string' || whyNotAsGood(place, again, options) !== undefined) continue
    const problems = included === named ? [] : [includedSentence(included, named, prefixOf(setting.workspace))]
    return {
      collected: { ...joined(first, again), problems: [...first.problems, ...again.problems, ...problems] },
      room: { use: true, ...(build && { build }) },
      included,
    }
  }
  if (mode === 'required') return { collected: first, room: { use: true }, included: named }
  const sentence = `Claims are checked in the project itself, not in a clean room: ${why}. If the tests need ignored files, name them in evidence.include.`
  const collected = joined(first, notPassing(place.evidence).size === 0 ? place : await inPlace({ only }))
  return {
    collected: { ...collected, problems: [...collected.problems, sentence] },
    room: { use: false, why },
    included: named,
  }
}

const joined = (first: GatheredOnce, second: GatheredOnce): GatheredOnce => ({
  ...second,
  evidence: { ...first.evidence, ...second.evidence },
  problems: [...first.problems, ...second.problems],
})

interface Trial {
  readonly included: Files
  /** What is different from the first copy. */
  readonly more?: string
  readonly build?: boolean
  readonly only?: ReadonlySet<string>
}

async function inRoom(setting: Setting, options: GatherOptions, trial: Trial): Promise<GatheredOnce | string> {
  const { workspace, seen, outputs } = setting
  if (seen === undefined) return 'the files could not be listed'
  const room = await openClaimRoom({
    workspace,
    seen,
    outputs,
    stateDir: options.stateDir,
    allow: options.config.evidence.passEnv,
    included: includedEntries(trial.included),
    signal: options.signal,
    ...(trial.build && { prepare: buildFirst(setting, options) }),
  })
  if (typeof room === 'string') return room
  try {
    const { only, more = '' } = trial
    const place = { workspace: room.workspace, where: `in a clean copy${more}` }
    const once = await gatherOnce({ ...setting, ...place, ...(only && { only }) }, options)
    room.keepCaches()
    return { ...once, problems: [...room.problems, ...once.problems] }
  } finally {
    await room.close()
  }
}

/** The user's own build command, or the one that was found. */
function buildCommands({ commands }: Setting, { config }: GatherOptions): readonly Pick<Detected, 'command' | 'cwd'>[] {
  const { build } = config.commands
  return build === undefined ? preferred(commands, 'build') : [{ command: build, cwd: '' }]
}

/** Build output is never copied, so a project whose tests need it builds it in the room. */
export function buildFirst(
  setting: Setting,
  options: GatherOptions,
): (room: Workspace) => Promise<CommandResult | undefined> {
  const deadlineMs = longestMs(setting.baseline, options)
  const { signal } = options
  return async (room) => {
    const results: CommandResult[] = []
    for (const { command, cwd } of buildCommands(setting, options))
      results.push(await room.run(command, { as: { check: 'build' }, cwd, deadlineMs, ...(signal && { signal }) }))
    return results.find(({ ended, code }) => ended !== 'exit' || code !== 0)
  }
}

/** From the top of the repository to the workspace: empty, or with a slash at the end. */
export function prefixOf({ dir }: Workspace): string {
  const way = relative(repositoryRoot(dir) ?? dir, dir)
  return way === '' ? '' : `${way}/`
}

export async function namedIn({ workspace }: Setting, { config }: GatherOptions): Promise<Files> {
  return namedFiles(workspace, await workspace.list(), config.evidence.include ?? [], prefixOf(workspace))
}

const ignoredIn = async ({ workspace }: Setting): Promise<Files> =>
  otherIgnored(workspace.dir, await workspace.list(), prefixOf(workspace))

function includedSentence(included: Files, named: Files, prefix: string): string {
  const more = [...included.keys()].filter((path) => !named.has(path)).map((path) => path.slice(prefix.length))
  return `The tests need files that git ignores. Claims are checked with these files as they are now: ${listPaths(more)} (evidence.include).`
}
