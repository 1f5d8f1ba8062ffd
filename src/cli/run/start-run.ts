import type { RunEnd } from '../../core/run.ts'
import { watchInterrupts } from '../../loop/interrupts.ts'
import { type OneRun, openRun, type RunSetup } from '../../loop/one-run.ts'
import type { Io } from '../io.ts'

export interface StartSetup extends RunSetup {
  /** Called after a second Ctrl+C, to end this process. */
  onKilled(end: RunEnd): void
  /** Called once, with the way to send requests from the run's own terminal. */
  listen?(control: OneRun['control']): void
  /** You detached the run from its terminal. */
  isDetached?(): boolean
}

/** Runs from start to end, with Ctrl+C handled. */
export async function startRun(setup: StartSetup, io: Io): Promise<RunEnd> {
  const run = openRun(setup, io)
  setup.listen?.(run.control)
  const unwatch = watchInterrupts({
    mode: setup.loaded.config.run.interrupt,
    agentWorks: run.agentWorks,
    ignoresHangup: () => setup.isDetached?.() === true,
    onFirst: run.interrupt,
    onSecond: () => setup.onKilled(run.kill()),
  })
  try {
    return await run.end
  } finally {
    unwatch()
  }
}
