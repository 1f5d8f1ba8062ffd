import { setTimeout as sleep } from 'node:timers/promises'
import { type ClaimedRun, openClaimedRun } from './claim-run.ts'
import type { DurableSteps } from './engine-dbos.ts'
import { LostRun, messageOf } from './errors.ts'
import { hostRun } from './host-run.ts'
import type { Registration } from './register.ts'
import { GIVEN_BACK, type RunLease } from './run-lease.ts'
import { sweepFacts } from './sweep.ts'
import type { Claimed, WorkerEnd, WorkerOptions } from './types.ts'
import { sweepWorkers } from './worker-folder.ts'
import { WorkflowsOnDemand } from './workflows-on-demand.ts'

const PAUSE_MS = 2_000
/** How long DBOS may take to start a claimed run before the worker asks again. */
const HANDOVER_MS = 5_000

/**
 * The runs this worker holds leases for. A lease is held only while a workflow works on the run here or is about to. Losing a
 * lease, draining and stopping release it immediately, whatever DBOS is waiting for.
 */
export class HeldRuns {
  readonly workflows: WorkflowsOnDemand
  readonly #options: WorkerOptions
  readonly #registration: Registration
  readonly #onFree: () => void
  /** Claimed here but not yet started by DBOS, with the time of the last request to DBOS. */
  readonly #claimedRuns = new Map<string, { readonly claimedRun: ClaimedRun; readonly askedAt: number }>()
  readonly #runLeases = new Map<string, RunLease>()
  readonly #closing = new Map<string, Promise<void>>()
  #isDraining = false
  #stopped: LostRun | undefined
  #ended = 0
  #givenBack = 0

  constructor(options: WorkerOptions, registration: Registration, onFree: () => void) {
    this.#options = options
    this.#registration = registration
    this.#onFree = onFree
    const { url, worker, database } = registration
    const host = (run: string, steps: DurableSteps): Promise<void> => this.#host(run, steps)
    this.workflows = new WorkflowsOnDemand({ url, worker, host, warn: this.#warn }, sweepFacts(database))
  }

  get leases(): ReadonlyMap<string, RunLease> {
    return this.#runLeases
  }
  /** Runs a search for work must skip, because they are held or still being cleaned up. */
  get busyRuns(): readonly string[] {
    return [...this.#runLeases.keys(), ...this.#closing.keys()]
  }
  get counts(): WorkerEnd {
    return { ended: this.#ended, givenBack: this.#givenBack }
  }

  /** Finishes the current iterations, then gives the runs back. */
  drain(): void {
    this.#isDraining = true
    for (const runLease of this.#runLeases.values()) runLease.drain()
  }

  /** Loses all runs at once. Other workers take them when this one is out of the list. */
  stop(): void {
    this.#stopped = new LostRun('the worker was stopped')
    for (const runLease of this.#runLeases.values()) runLease.lose(this.#stopped)
  }

  async begin(claimed: Claimed): Promise<void> {
    const { emit, now } = this.#options
    const { database, lease, folder, secrets } = this.#registration
    const { run, epoch, from } = claimed
    let runLease: RunLease | undefined
    try {
      const context = { database, lease, worker: this.#options, folder: folder.dir, cache: folder.cache, secrets }
      const claimedRun = await openClaimedRun(claimed, context)
      if ('outcome' in claimedRun) {
        this.#ended += 1
        return emit({ type: 'ended', run, end: claimedRun, at: now() })
      }
      runLease = claimedRun.runLease
      this.#claimedRuns.set(run, { claimedRun, askedAt: Number.POSITIVE_INFINITY })
      this.#runLeases.set(run, runLease)
      if (this.#isDraining) runLease.drain()
      if (this.#stopped !== undefined) runLease.lose(this.#stopped)
      emit({ type: 'claimed', run, epoch, ...(from === undefined ? {} : { from }), at: now() })
      if (from !== undefined) void sweepWorkers(this.#options.folder).catch(this.#warn)
      // DBOS keeps retrying an unreachable database for longer than the lease.
      const workflows = await runLease.unlessLost(this.workflows.open())
      if (epoch === 1) await runLease.unlessLost(workflows.start(run))
      else if (!(await runLease.unlessLost(workflows.resume(run)))) await this.#endAbandoned(claimedRun)
      if (this.#claimedRuns.has(run)) this.#claimedRuns.set(run, { claimedRun, askedAt: performance.now() })
    } catch (error) {
      // Another worker may have more luck, so it gets the time to take the run.
      if (runLease?.lost === undefined) {
        this.#warn(`Run ${run} could not be started here: ${messageOf(error)}`)
        await runLease?.giveBack().catch(() => {})
      } else if (this.#claimedRuns.has(run)) this.#reportLost(runLease)
      await this.#closeLease(run)
      if (!this.#isDraining) await sleep(PAUSE_MS)
    }
  }

  /**
   * Releases leases that no workflow works on, once they are lost or the worker drains. While such a lease is held, it asks DBOS
   * for the workflow again. A late call of another worker may have sent it there, or DBOS failed to start it.
   */
  async maintain(): Promise<void> {
    for (const [run, { claimedRun, askedAt }] of this.#claimedRuns) {
      const { runLease } = claimedRun
      if (this.#isDraining && runLease.lost === undefined) await runLease.giveBack().catch(() => {})
      if (!this.#claimedRuns.has(run)) continue
      if (runLease.lost !== undefined) {
        this.#reportLost(runLease)
        await this.#closeLease(run)
      } else if (performance.now() - askedAt > HANDOVER_MS) {
        this.#claimedRuns.set(run, { claimedRun, askedAt: performance.now() })
        await runLease.unlessLost((await runLease.unlessLost(this.workflows.open())).resume(run)).catch(() => {})
      }
    }
  }

  /** DBOS calls this for a run that was started or resumed here. */
  async #host(run: string, steps: DurableSteps): Promise<void> {
    const { emit, now } = this.#options
    const claimedRun = this.#claimedRuns.get(run)?.claimedRun
    this.#claimedRuns.delete(run)
    if (claimedRun === undefined) throw steps.ownedElsewhere()
    const { runLease } = claimedRun
    try {
      // A lost run doesn't wait for DBOS to record a step.
      const end = await runLease.unlessLost(hostRun(claimedRun, steps, (event) => emit({ type: 'loop', run, event })))
      this.#ended += 1
      emit({ type: 'ended', run, end, at: now() })
      this.workflows.finished(run)
      this.#registration.heartbeatWakeup.trigger()
    } catch (error) {
      this.#reportLost(runLease, error)
      throw runLease.lost === undefined ? error : steps.ownedElsewhere()
    } finally {
      await this.#closeLease(run)
    }
  }

  #reportLost({ run, lost }: RunLease, error?: unknown): void {
    const { emit, now } = this.#options
    if (lost?.message === GIVEN_BACK) {
      this.#givenBack += 1
      emit({ type: 'given-back', run, at: now() })
    } else emit({ type: 'lost', run, why: lost?.message ?? messageOf(error), at: now() })
  }

  /** For a run whose workflow is over although the database has no end for it. */
  async #endAbandoned({ runLease }: ClaimedRun): Promise<void> {
    const { emit, now } = this.#options
    const nothing = { iterations: 0, usd: 0, tokens: 0, pushes: false } as const
    const reason = 'the previous worker could not finish it'
    const end = await runLease.finish({ outcome: 'aborted', ending: 'fatal', reason, ...nothing })
    emit({ type: 'ended', run: runLease.run, end, at: now() })
    await this.#closeLease(runLease.run)
  }

  async #closeLease(run: string): Promise<void> {
    const runLease = this.#runLeases.get(run)
    if (runLease === undefined) return
    const closed = runLease.close().catch(this.#warn)
    this.#closing.set(run, closed)
    this.#runLeases.delete(run)
    this.#claimedRuns.delete(run)
    await closed
    this.#closing.delete(run)
    this.#onFree()
  }

  readonly #warn = (problem: unknown): void => {
    this.#options.emit({ type: 'warning', text: messageOf(problem), at: this.#options.now() })
  }
}
