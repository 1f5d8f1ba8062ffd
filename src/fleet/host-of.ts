import type { LoopEvent } from '../core/run.ts'
import type { Host } from '../loop/host.ts'
import type { RunLease } from './run-lease.ts'
import { withoutSecrets } from './without-secrets.ts'

/**
 * The loop's host at a seat: that of the local loop, from the first step on that is really done here. What comes from the agent or
 * its workspace loses the worker's secrets before anybody else sees it.
 */
export function hostOf(seat: RunLease, tell: (event: LoopEvent) => void): Host {
  const clean = <T>(value: T): T => withoutSecrets(value, seat.secrets)
  return {
    tell,
    begin: (signal) => seat.host.begin(signal),
    ready: async (state, start) => clean(await seat.host.ready(state, start)),
    record: (events) => seat.host.record(events),
    agent: async (call, signal) => clean(await seat.host.agent(call, signal)),
    gatherEvidence: async (call, signal) => clean(await seat.host.gatherEvidence(call, signal)),
    decideAndRecord: (observation) => seat.host.decideAndRecord(observation),
    wait: (until, signal) => seat.host.wait(until, signal),
  }
}
