import type { Control } from '../core/run.ts'
import { type Engine, type StepId, stepName } from '../loop/engine.ts'
import { LostRun } from './errors.ts'
import type { Finished } from './finish.ts'
import { JournalReplay } from './journal-replay.ts'
import type { RunLease } from './run-lease.ts'
import { fromStored, type StoredResult } from './stored-result.ts'
import type { FleetEnd } from './types.ts'

const RECORD_MS = 5_000

/** What the engine needs of DBOS: a step that is done once, and what to throw when the run is somebody else's. */
export interface DurableSteps {
  runStep<T>(work: () => Promise<T>, name: string): Promise<T>
  /** Parks the run here: its outcome comes from whoever has it. */
  elsewhere(): Error
  isElsewhere(error: unknown): boolean
}

/** What the database held when this worker sat down. */
export interface StoredProgress {
  readonly lines: readonly string[]
  /** The last step that was published: DBOS may not have heard of it. */
  readonly step?: string
  readonly kept?: StoredResult
}

export interface FleetEngine extends Engine {
  /** False while DBOS plays back what was done before: nothing is told twice. */
  readonly live: boolean
  /** The last step of all: the run is over for everybody. */
  finish(end: Finished): Promise<FleetEnd>
}

/** The engine of many machines: every step is kept in the database, and whoever takes a run over plays it again up to there. */
export function dbosEngine(runLease: RunLease, steps: DurableSteps, before: StoredProgress): FleetEngine {
  let replay: JournalReplay | undefined = new JournalReplay(before.lines)
  let live = false
  let polls = 0
  const names = new Map<string, number>()

  async function once<T>(name: string, work: () => Promise<T>): Promise<T> {
    return steps.runStep(async () => {
      try {
        return await work()
      } catch (error) {
        throw error instanceof LostRun ? steps.elsewhere() : error
      }
    }, name)
  }

  const kept = (name: string, work: () => Promise<StoredResult>): Promise<StoredResult> =>
    once(name, async () => {
      if (before.step === name && before.kept !== undefined) return before.kept
      live = true
      return work()
    })

  /** The same name twice would be the same step. */
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
      const found = await kept(name, async () => {
        const performed = await runLease.perform({ kind, name }, work)
        done = performed
        return performed.kept
      })
      if (done !== undefined) {
        replay = undefined
        return done.result
      }
      replay ??= new JournalReplay(before.lines)
      return fromStored(kind, name, found, replay) as T
    },
    async poll() {
      const name = `poll ${++polls}`
      const { value = [] } = await kept(name, async () => {
        const controls = await runLease.take(name)
        return controls.length === 0 ? {} : { value: controls }
      })
      return value as readonly Control[]
    },
    // Once the database has the end it counts, whether or not DBOS can record this step soon.
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
