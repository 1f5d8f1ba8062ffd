import type { LoopEvent, RunEnd } from '../core/run.ts'
import type { Host } from '../loop/host.ts'
import { runLoop } from '../loop/run-loop.ts'
import type { Sitting } from './claim-run.ts'
import { dbosEngine, type Steps } from './engine-dbos.ts'
import { messageOf } from './errors.ts'
import type { Finished } from './finish.ts'
import type { RunLease } from './run-lease.ts'
import type { FleetEnd } from './types.ts'
import { withoutSecrets } from './without-secrets.ts'

/** One run from where it stands to its end: the loop of a single machine on the engine of many. */
export async function hostRun(sitting: Sitting, steps: Steps, tell: (event: LoopEvent) => void): Promise<FleetEnd> {
  const { seat, before, entry } = sitting
  const engine = dbosEngine(seat, steps, before)
  sitting.listen(() => engine.live)
  const host = hostOf(seat, (event) => {
    if (engine.live) tell(event)
  })
  let finished: Finished
  try {
    const end = await runLoop(engine, host, { prompt: entry.prompt })
    finished = ofEnd(end)
  } catch (error) {
    if (steps.isElsewhere(error)) throw error
    // What a step could not do, it could not do for anybody who plays it again.
    const nothing = { iterations: 0, usd: 0, tokens: 0, pushes: false }
    finished = { outcome: 'aborted', ending: 'fatal', reason: messageOf(error), ...nothing }
  }
  return engine.finish(finished)
}

function ofEnd({ outcome, ending, reason, iterations, total }: RunEnd): Finished {
  return { outcome, ending, reason, iterations, usd: total.usd, tokens: total.tokens, pushes: iterations > 0 }
}

/**
 * The loop's host at a seat: that of the local loop, from the first step on that is really done here. What comes from the agent or
 * its workspace loses the worker's secrets before anybody else sees it.
 */
function hostOf(seat: RunLease, tell: (event: LoopEvent) => void): Host {
  const clean = <T>(value: T): T => withoutSecrets(value, seat.secrets)
  return {
    emit: tell,
    begin: (signal) => seat.host.begin(signal),
    ready: async (state, start) => clean(await seat.host.ready(state, start)),
    record: (events) => seat.host.record(events),
    agent: async (call, signal) => clean(await seat.host.agent(call, signal)),
    gatherEvidence: async (call, signal) => clean(await seat.host.gatherEvidence(call, signal)),
    decideAndRecord: (observation) => seat.host.decideAndRecord(observation),
    wait: (until, signal) => seat.host.wait(until, signal),
  }
}
