import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compatPaths } from '../compat/index.ts'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import { readSignals } from '../core/signals/read-signals.ts'
import type { Evidence, EvidenceSet, Policy, Signals } from '../core/types.ts'
import { gather } from '../evidence/gather.ts'
import { withInbox } from '../inbox/merge.ts'
import { takeSessionSignals } from '../inbox/session-inbox.ts'
import { transcriptOf } from './read-message.ts'
import type { StopToVerify } from './stop-request.ts'

/** Of the time the host gives, this share (within bounds, in ms) is kept for ending commands, deciding and recording. */
const RESERVE = { share: 0.2, least: 2_000, most: 15_000 }

/** What the agent said, with the ears of the policy; a claim by tool call counts like one in the message, for the whole turn. */
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
  /** The host would not have waited for the rest. */
  readonly cut: boolean
}

/** The evidence, as far as it comes in the time the host gives. What is cut off is `unknown`, and nothing of it goes on. */
export async function gatherInTime(
  { call: { world, seconds }, stop, place }: StopToVerify,
  config: Config,
  claim: boolean,
  { baselineId, slowest }: Pick<State, 'baselineId' | 'slowest'>,
): Promise<TimedEvidence> {
  const begun = world.age()
  const reserve = Math.min(RESERVE.most, Math.max(RESERVE.least, seconds * 1000 * RESERVE.share))
  const left = Math.max(0, seconds * 1000 - reserve - begun)
  const giveUp = new AbortController()
  const timers: NodeJS.Timeout[] = []
  const late = new Promise<undefined>((resolve) => {
    timers.push(setTimeout(() => giveUp.abort(), left))
    // Commands need a moment to end. Whatever is left after it ends with this process.
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
    claim,
    taskTexts: texts.filter((text) => text !== undefined),
    ...(baselineId === undefined ? {} : { baselineId }),
    slowest,
    ignore: ['.exitgate/', ...compatPaths(config)],
    at: world.now(),
    signal: giveUp.signal,
  })
  try {
    const gathered = await Promise.race([gathering, late])
    const cut = giveUp.signal.aborted
    const evidence = gathered?.evidence ?? {}
    return { evidence: cut ? withTimeoutReason(evidence, seconds) : evidence, ms: Math.round(world.age() - begun), cut }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    gathering.catch(() => {})
  }
}

/** Nobody interrupted anything: the time was up. */
function withTimeoutReason(evidence: EvidenceSet, seconds: number): EvidenceSet {
  const why = `It was cut off, because the host waits ${seconds} s for an answer.`
  const honest = ({ detail, ...rest }: Evidence): Evidence => ({
    ...rest,
    detail: detail.replace('The run was interrupted.', why),
  })
  return Object.fromEntries(Object.entries(evidence).map(([name, each]) => [name, honest(each)]))
}

function textOf(workspace: string, path: string): string | undefined {
  try {
    return readFileSync(join(workspace, path), 'utf8')
  } catch {
    return undefined
  }
}
