import type { LoopEvent } from '../core/loop-event.ts'
import type { RunEnd } from '../core/run.ts'
import type { Host } from '../loop/host.ts'
import { runLoop } from '../loop/run-loop.ts'
import type { ClaimedRun } from './claim-run.ts'
import { type DurableSteps, dbosEngine } from './engine-dbos.ts'
import { messageOf } from './errors.ts'
import type { Finished } from './finish.ts'
import type { RunLease } from './run-lease.ts'
import type { FleetEnd } from './types.ts'
import { withoutSecrets } from './without-secrets.ts'

/** Runs the local loop on the fleet's engine, from the run's current step to its end. */
export async function hostRun(
  claimedRun: ClaimedRun,
  steps: DurableSteps,
  emit: (event: LoopEvent) => void,
): Promise<FleetEnd> {
  const { runLease, progress, entry } = claimedRun
  const engine = dbosEngine(runLease, steps, progress)
  claimedRun.reportWhen(() => engine.live)
  const host = leasedHost(runLease, (event) => {
    if (engine.live) emit(event)
  })
  let finished: Finished
  try {
    const end = await runLoop(engine, host, { prompt: entry.prompt })
    finished = ofEnd(end)
  } catch (error) {
    if (steps.isOwnedElsewhere(error)) throw error
    // A step that failed here fails again wherever it is replayed.
    const nothing = { iterations: 0, usd: 0, tokens: 0, pushes: false }
    finished = { outcome: 'aborted', ending: 'fatal', reason: messageOf(error), ...nothing }
  }
  return engine.finish(finished)
}

function ofEnd({ outcome, ending, reason, iterations, total }: RunEnd): Finished {
  return { outcome, ending, reason, iterations, usd: total.usd, tokens: total.tokens, pushes: iterations > 0 }
}

/**
 * The local loop's host, available from the first step that really runs here. It removes the worker's secrets from everything the
 * agent or its workspace produced.
 */
function leasedHost(runLease: RunLease, emit: (event: LoopEvent) => void): Host {
  const clean = <T>(value: T): T => withoutSecrets(value, runLease.secrets)
  return {
    emit,
    begin: (signal) => runLease.host.begin(signal),
    ready: async (state, start) => clean(await runLease.host.ready(state, start)),
    record: (events) => runLease.host.record(events),
    agent: async (call, signal) => clean(await runLease.host.agent(call, signal)),
    gatherEvidence: async (call, signal) => clean(await runLease.host.gatherEvidence(call, signal)),
    decideAndRecord: (observation) => runLease.host.decideAndRecord(observation),
    wait: (until, signal) => runLease.host.wait(until, signal),
  }
}
