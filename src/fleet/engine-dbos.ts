import type { Control } from '../core/run.ts'
import { type Engine, type StepId, stepName } from '../loop/engine.ts'
import { LostRun } from './errors.ts'
import type { Finished } from './finish.ts'
import { JournalReplay } from './journal-replay.ts'
import type { RunLease } from './run-lease.ts'
import { fromStored, type StoredResult } from './stored-result.ts'
import type { FleetEnd } from './types.ts'

const RECORD_MS = 5_000

/** What the engine needs from DBOS: steps that run once, and an error for a run that another worker has. */
export interface DurableSteps {
  runStep<T>(work: () => Promise<T>, name: string): Promise<T>
  /** Parks the run here, because another worker has it and will report its outcome. */
  ownedElsewhere(): Error
  isOwnedElsewhere(error: unknown): boolean
}

/** What the database had when this worker took the run. */
export interface StoredProgress {
  readonly lines: readonly string[]
  /** The last published step. DBOS may not know about it yet. */
  readonly step?: string
  readonly stored?: StoredResult
}

export interface FleetEngine extends Engine {
  /** False while DBOS replays earlier steps, so that nothing is reported twice. */
  readonly live: boolean
  /** The last step: marks the run as ended for the whole fleet. */
  finish(end: Finished): Promise<FleetEnd>
}

/**
 * The engine for many machines. Every step is stored in the database, and a worker that takes a run over replays it up to that
 * point.
 */
export function dbosEngine(runLease: RunLease, steps: DurableSteps, progress: StoredProgress): FleetEngine {
  let replay: JournalReplay | undefined = new JournalReplay(progress.lines)
  let live = false
  let polls = 0
  const names = new Map<string, number>()

  async function once<T>(name: string, work: () => Promise<T>): Promise<T> {
    return steps.runStep(async () => {
      try {
        return await work()
      } catch (error) {
        throw error instanceof LostRun ? steps.ownedElsewhere() : error
      }
    }, name)
  }

  const runOrRestore = (name: string, work: () => Promise<StoredResult>): Promise<StoredResult> =>
    once(name, async () => {
      if (progress.step === name && progress.stored !== undefined) return progress.stored
      live = true
      return work()
    })

  /** A repeated name would mean the same step. */
  function unique(name: string): string {
    const n = (names.get(name) ?? 0) + 1
    names.set(name, n)
    return n === 1 ? name : `${name} #${n}`
  }

  return {
    get live() {
      return live
    },
    async step<T>(id: StepId, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const { kind } = id
      const name = unique(stepName(id))
      let done: { readonly result: T } | undefined
      const found = await runOrRestore(name, async () => {
        const performed = await runLease.perform({ kind, name }, work)
        done = performed
        return performed.stored
      })
      if (done !== undefined) {
        replay = undefined
        return done.result
      }
      replay ??= new JournalReplay(progress.lines)
      return fromStored(kind, name, found, replay) as T
    },
    async poll() {
      const name = `poll ${++polls}`
      const { value = [] } = await runOrRestore(name, async () => {
        const controls = await runLease.take(name)
        return controls.length === 0 ? {} : { value: controls }
      })
      return value as readonly Control[]
    },
    // The end counts once the database has it, even if DBOS can't record this step yet.
    finish: (end) =>
      new Promise<FleetEnd>((resolve, reject) => {
        const finishing = async (): Promise<FleetEnd> => {
          const ended = await runLease.finish(end)
          setTimeout(() => resolve(ended), RECORD_MS).unref()
          return ended
        }
        once('finish', finishing).then(resolve, reject)
      }),
  }
}
