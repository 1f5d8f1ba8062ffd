import type { Host } from '../loop/host.ts'
import type { LoopEvent } from '../loop/types.ts'
import type { Seat } from './seat.ts'

/** The loop's host at a seat: that of the local loop, from the first step on that is really done here. */
export function hostOf(seat: Seat, tell: (event: LoopEvent) => void): Host {
  return {
    tell,
    begin: (signal) => seat.host.begin(signal),
    ready: (state, start) => seat.host.ready(state, start),
    record: (happenings) => seat.host.record(happenings),
    agent: (call, signal) => seat.host.agent(call, signal),
    evidence: (call, signal) => seat.host.evidence(call, signal),
    decide: (observation) => seat.host.decide(observation),
    wait: (until, signal) => seat.host.wait(until, signal),
  }
}
