import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import { readSignals } from '../core/signals/read-signals.ts'
import type { Evidence, EvidenceSet, Policy, Signals } from '../core/types.ts'
import { gather } from '../evidence/gather.ts'
import { withInbox } from '../inbox/merge.ts'
import { takeSessionSignals } from '../inbox/session-inbox.ts'
import { ownPaths } from '../loop/gather-options.ts'
import { sandboxFor } from '../loop/sandbox.ts'
import { transcriptOf } from './read-message.ts'
import type { StopToVerify } from './stop-request.ts'

/** This share of the client's timeout (limits in ms) is reserved for ending commands, deciding and recording. */
const RESERVE = { share: 0.2, least: 2_000, most: 15_000 }

/** The signals in the message, read by the policy. A claim by tool call counts like one in the message, for the whole turn. */
export async function readStopSignals(
  { call, stop, place, message }: StopToVerify,
  { reading }: Policy,
): Promise<Signals> {
  const signals = stop.of === 'turn' ? takeSessionSignals(place.stateDir, call.world.now()).signals : []
  const transcript = withInbox(transcriptOf(message), signals)
  const options = { ...reading, ...(stop.asked === undefined ? {} : { prompt: stop.asked }) }
  return readSignals(transcript, options)
}

export interface TimedEvidence {
  readonly evidence: EvidenceSet
  readonly ms: number
  /** The client's timeout did not leave enough time for all checks. */
  readonly cut: boolean
}

/** Gathers evidence within the client's timeout. Checks that don't finish are `unknown`, and their commands are ended. */
export async function gatherInTime(
  { call: { world, seconds }, stop, place }: StopToVerify,
  config: Config,
  claim: boolean,
  { baselineId, slowest, accepted }: Pick<State, 'baselineId' | 'slowest' | 'accepted'>,
): Promise<TimedEvidence> {
  const begun = world.age()
  const reserve = Math.min(RESERVE.most, Math.max(RESERVE.least, seconds * 1000 * RESERVE.share))
  const left = Math.max(0, seconds * 1000 - reserve - begun)
  const timeUp = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const late = new Promise<undefined>((resolve) => {
    timers.push(setTimeout(() => timeUp.abort(), left))
    // Commands need a moment to end. The rest ends with this process.
    timers.push(setTimeout(() => resolve(undefined), left + reserve / 2))
  })
  const texts = [
    place.goal?.text,
    stop.asked,
    config.plan === undefined ? undefined : textOf(place.workspace, config.plan),
  ]
  const gathering = gather({
    dir: place.workspace,
    config,
    checks: policyFor(config).checks,
    stateDir: place.stateDir,
    sandbox: sandboxFor(config, { workspace: place.workspace, stateDir: place.stateDir }).setup,
    claim,
    taskTexts: texts.filter((text) => text !== undefined),
    ...(baselineId === undefined ? {} : { baselineId }),
    slowest,
    accepted,
    ignore: ownPaths(config),
    at: world.now(),
    signal: timeUp.signal,
  })
  try {
    const gathered = await Promise.race([gathering, late])
    const cut = timeUp.signal.aborted
    const evidence = gathered?.evidence ?? {}
    return { evidence: cut ? withTimeoutReason(evidence, seconds) : evidence, ms: Math.round(world.age() - begun), cut }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    gathering.catch(() => {})
  }
}

/** Replaces the reason "interrupted" with the timeout. */
function withTimeoutReason(evidence: EvidenceSet, seconds: number): EvidenceSet {
  const why = `It was stopped, because the agent CLI waits only ${seconds} s for the hook.`
  const corrected = ({ detail, ...rest }: Evidence): Evidence => ({
    ...rest,
    detail: detail.replace('The run was interrupted.', why),
  })
  return Object.fromEntries(Object.entries(evidence).map(([name, each]) => [name, corrected(each)]))
}

function textOf(workspace: string, path: string): string | undefined {
  try {
    return readFileSync(join(workspace, path), 'utf8')
  } catch {
    return undefined
  }
}
