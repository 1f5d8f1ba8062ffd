import type { RunEnd } from '../../core/run.ts'
import { watchInterrupts } from '../../loop/interrupts.ts'
import { openRun, type RunSetup } from '../../loop/one-run.ts'
import type { Io } from '../io.ts'

export interface StartSetup extends RunSetup {
  /** A second Ctrl+C: everything is ended, and so is this process. */
  onKilled(end: RunEnd): void
}

/** One run from its opening to its end, with the interrupts of the system around it. */
export async function startRun(setup: StartSetup, io: Io): Promise<RunEnd> {
  const run = openRun(setup, io)
  const unwatch = watchInterrupts({
    mode: setup.loaded.config.run.interrupt,
    agentWorks: run.agentWorks,
    onFirst: run.interrupt,
    onSecond: () => setup.onKilled(run.kill()),
  })
  try {
    return await run.end
  } finally {
    unwatch()
  }
}
