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
/** So long DBOS has to hand a claimed run over, after it took the call, before it is asked again. */
const HANDOVER_MS = 5_000

/**
 * The runs this worker holds leases for. A lease is held only while a workflow works on it here, or is on its way; losing it, draining
 * and stopping free it whatever DBOS waits for.
 */
export class HeldRuns {
  readonly workflows: WorkflowsOnDemand
  readonly #options: WorkerOptions
  readonly #registration: Registration
  readonly #onFree: () => void
  /** Claimed here and not yet handed over by DBOS, and when DBOS was last asked for it. */
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
  /** Runs that no look for work may find, because they are held or still being cleaned up. */
  get names(): readonly string[] {
    return [...this.#runLeases.keys(), ...this.#closing.keys()]
  }
  get counts(): WorkerEnd {
    return { ended: this.#ended, givenBack: this.#givenBack }
  }

  /** The current iterations are finished, then the runs are given back. */
  drain(): void {
    this.#isDraining = true
    for (const runLease of this.#runLeases.values()) runLease.drain()
  }

  /** The runs are lost at once; other workers take them when this one is out of the list. */
  stop(): void {
    this.#stopped = new LostRun('the worker was stopped')
    for (const runLease of this.#runLeases.values()) runLease.lose(this.#stopped)
  }

  async begin(claimed: Claimed): Promise<void> {
    const { tell, now } = this.#options
    const { database, lease, folder, secrets } = this.#registration
    const { run, epoch, from } = claimed
    let runLease: RunLease | undefined
    try {
      const context = { database, lease, worker: this.#options, folder: folder.dir, cache: folder.cache, secrets }
      const claimedRun = await openClaimedRun(claimed, context)
      if ('outcome' in claimedRun) {
        this.#ended += 1
        return tell({ type: 'ended', run, end: claimedRun, at: now() })
      }
      runLease = claimedRun.runLease
      this.#claimedRuns.set(run, { claimedRun, askedAt: Number.POSITIVE_INFINITY })
      this.#runLeases.set(run, runLease)
      if (this.#isDraining) runLease.drain()
      if (this.#stopped !== undefined) runLease.lose(this.#stopped)
      tell({ type: 'claimed', run, epoch, ...(from === undefined ? {} : { from }), at: now() })
      if (from !== undefined) void sweepWorkers(this.#options.folder).catch(this.#warn)
      // DBOS asks a database that is away again and again, for longer than the lease.
      const workflows = await runLease.unlessLost(this.workflows.open())
      if (epoch === 1) await runLease.unlessLost(workflows.start(run))
      else if (!(await runLease.unlessLost(workflows.resume(run)))) await this.#endAbandoned(claimedRun)
      if (this.#claimedRuns.has(run)) this.#claimedRuns.set(run, { claimedRun, askedAt: performance.now() })
    } catch (error) {
      // Another worker may have more luck, and gets the time to take it.
      if (runLease?.lost === undefined) {
        this.#warn(`the run ${run} could not be started here: ${messageOf(error)}`)
        await runLease?.giveBack().catch(() => {})
      }
      await this.#closeLease(run)
      await sleep(PAUSE_MS)
    }
  }

  /**
   * A lease without a workflow that works on it is freed as soon as it is lost or the worker drains. While it is held, DBOS is asked
   * for the workflow again: a late call of another worker may have sent it there, or DBOS took it and could not start it.
   */
  async tend(): Promise<void> {
    for (const [run, { claimedRun, askedAt }] of this.#claimedRuns) {
      const { runLease } = claimedRun
      if (this.#isDraining && runLease.lost === undefined) await runLease.giveBack().catch(() => {})
      if (!this.#claimedRuns.has(run)) continue
      if (runLease.lost !== undefined) {
        this.#tellLost(runLease)
        await this.#closeLease(run)
      } else if (performance.now() - askedAt > HANDOVER_MS) {
        this.#claimedRuns.set(run, { claimedRun, askedAt: performance.now() })
        await runLease.unlessLost((await runLease.unlessLost(this.workflows.open())).resume(run)).catch(() => {})
      }
    }
  }

  /** DBOS calls this for a run that was started or resumed here. */
  async #host(run: string, steps: DurableSteps): Promise<void> {
    const { tell, now } = this.#options
    const claimedRun = this.#claimedRuns.get(run)?.claimedRun
    this.#claimedRuns.delete(run)
    if (claimedRun === undefined) throw steps.elsewhere()
    const { runLease } = claimedRun
    try {
      // A lost run does not wait for a step that DBOS tries to record.
      const end = await runLease.unlessLost(hostRun(claimedRun, steps, (event) => tell({ type: 'loop', run, event })))
      this.#ended += 1
      tell({ type: 'ended', run, end, at: now() })
      this.workflows.finished(run)
      this.#registration.news.ring()
    } catch (error) {
      this.#tellLost(runLease, error)
      throw runLease.lost === undefined ? error : steps.elsewhere()
    } finally {
      await this.#closeLease(run)
    }
  }

  #tellLost({ run, lost }: RunLease, error?: unknown): void {
    const { tell, now } = this.#options
    if (lost?.message === GIVEN_BACK) {
      this.#givenBack += 1
      tell({ type: 'given-back', run, at: now() })
    } else tell({ type: 'lost', run, why: lost?.message ?? messageOf(error), at: now() })
  }

  /** For a run whose workflow is over without an end in the database: it failed where nothing may fail. */
  async #endAbandoned({ runLease }: ClaimedRun): Promise<void> {
    const { tell, now } = this.#options
    const nothing = { iterations: 0, usd: 0, tokens: 0, pushes: false } as const
    const reason = 'the worker before could not finish it'
    const end = await runLease.finish({ outcome: 'aborted', ending: 'fatal', reason, ...nothing })
    tell({ type: 'ended', run: runLease.run, end, at: now() })
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
    this.#options.tell({ type: 'warning', text: messageOf(problem), at: this.#options.now() })
  }
}
