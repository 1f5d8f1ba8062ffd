import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepSecret } from '../system/environment.ts'
import { claim, takeOver } from './claim.ts'
import { type ClaimedRun, openClaimedRun } from './claim-run.ts'
import { connect, wholeAddress } from './database/connect.ts'
import { assertMigrated } from './database/migrate.ts'
import { openWorkflows, type Workflows } from './dbos.ts'
import type { DurableSteps } from './engine-dbos.ts'
import { FleetError, LostRun, messageOf } from './errors.ts'
import { registerWorker, sendHeartbeat } from './heartbeat.ts'
import { hostRun } from './host-run.ts'
import { leaseOf } from './lease.ts'
import { GIVEN_BACK, type RunLease } from './run-lease.ts'
import { assertQueue } from './submit.ts'
import type { Claimed, WorkerEnd, WorkerOptions } from './types.ts'
import { secretsOf } from './without-secrets.ts'
import { openWorkerFolder, sweepWorkers } from './worker-folder.ts'
import { leaveOnly, processEnvironment } from './workspace-environment.ts'

const LOOK_MS = 250
const BEAT_MS = 500
const LEASE_SECONDS = 5

/** One machine's part in the fleet: takes what is ready and what others left, until it is asked to end. */
export async function runWorker(given: WorkerOptions): Promise<WorkerEnd> {
  // `register` takes most of it away from this process; the worker itself goes on knowing it.
  const options = { ...given, env: { ...given.env } }
  assertOptions(options)
  return new Worker(options, await register(options)).run()
}

type Registration = Awaited<ReturnType<typeof register>>

/** Prepares this process and its folder for agents that are not trusted, and enters the worker in the database. */
async function register(options: WorkerOptions) {
  const { queue, concurrency, leaseSeconds = LEASE_SECONDS } = options
  const url = wholeAddress(options.url, options.env)
  const worker = `${hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`
  const database = await connect(url, { max: concurrency + 2 })
  // A connection of their own: heartbeats do not wait for other queries, and an answer that is late is given up soon.
  const heartbeats = await connect(url, { max: 1, answerMs: Math.max(500, (leaseSeconds * 1000) / 2) })
  await assertMigrated(database.query)
  leaveOnly(processEnvironment(options.env, options.file, queue))
  // In the place of the words it was started with, among which there may be a password, before the first agent can look.
  process.title = 'exitgate fleet worker'
  await sweepWorkers(options.folder)
  const folder = openWorkerFolder(options.folder, worker)
  const row = await registerWorker(database, { worker, queue, concurrency, leaseSeconds, folder: options.folder })
  const lease = leaseOf(leaseSeconds)
  const secrets = secretsOf(options.env, url)
  keepSecret(secrets)
  return { url, worker, database, heartbeats, folder, row, lease, secrets }
}

class Worker {
  readonly #options: WorkerOptions
  readonly #registration: Registration
  /** Claimed here, and not yet handed over by DBOS. */
  readonly #claimedRuns = new Map<string, ClaimedRun>()
  readonly #runLeases = new Map<string, RunLease>()
  readonly #closing = new Map<string, Promise<void>>()
  /** Ended here, and still known to DBOS. */
  readonly #finished = new Set<string>()
  #ended = 0
  #givenBack = 0
  #draining = false
  #over = false
  /** Ends the pause between two looks for work. */
  #nudge = (): void => {}

  constructor(options: WorkerOptions, registration: Registration) {
    this.#options = options
    this.#registration = registration
  }

  async run(): Promise<WorkerEnd> {
    const { queue, concurrency, tell, now, drain, stop } = this.#options
    const { url, worker } = this.#registration
    const host = (run: string, steps: DurableSteps): Promise<void> => this.#host(run, steps)
    const workflows = await openWorkflows({ url, worker, host, warn: this.#warn })
    tell({ type: 'worker', worker, queue, at: now() })
    drain?.addEventListener('abort', this.#startDraining)
    if (drain?.aborted) this.#startDraining()
    stop?.addEventListener('abort', this.#stopNow)
    if (stop?.aborted) this.#stopNow()

    const alive = this.#keepAlive()
    try {
      while (!(this.#draining && this.#runLeases.size + this.#closing.size === 0)) {
        await this.#forgetFinished(workflows)
        const found = this.#draining || this.#runLeases.size >= concurrency ? undefined : await this.#next()
        if (found !== undefined) await this.#begin(found, workflows)
        else await Promise.race([sleep(LOOK_MS), new Promise<void>((resolve) => (this.#nudge = resolve))])
      }
    } finally {
      this.#over = true
      await this.#forgetFinished(workflows)
      await alive
      drain?.removeEventListener('abort', this.#startDraining)
      stop?.removeEventListener('abort', this.#stopNow)
      await this.#leave(workflows)
    }
    return { ended: this.#ended, givenBack: this.#givenBack }
  }

  async #leave(workflows: Workflows): Promise<void> {
    const { row, folder, database, heartbeats } = this.#registration
    await workflows.close().catch(this.#warn)
    await row.leave().catch(this.#warn)
    await folder.release().catch(this.#warn)
    await Promise.allSettled([database.close(), heartbeats.close()])
  }

  /** What others left comes first: it has waited longest. */
  async #next(): Promise<Claimed | undefined> {
    const { queue } = this.#options
    const { database, worker } = this.#registration
    try {
      const mine = [...this.#runLeases.keys(), ...this.#closing.keys()]
      return (await takeOver(database, queue, worker, mine)) ?? (await claim(database, queue, worker))
    } catch {
      // A database that is away is looked for again at the next look.
      return undefined
    }
  }

  async #begin(claimed: Claimed, workflows: Workflows): Promise<void> {
    const { tell, now } = this.#options
    const { database, lease, folder, secrets } = this.#registration
    const { run, epoch, from } = claimed
    try {
      const context = { database, lease, worker: this.#options, folder: folder.dir, cache: folder.cache, secrets }
      const claimedRun = await openClaimedRun(claimed, context)
      if ('outcome' in claimedRun) {
        this.#ended += 1
        return tell({ type: 'ended', run, end: claimedRun, at: now() })
      }
      this.#claimedRuns.set(run, claimedRun)
      this.#runLeases.set(run, claimedRun.runLease)
      tell({ type: 'claimed', run, epoch, ...(from === undefined ? {} : { from }), at: now() })
      if (from !== undefined) void sweepWorkers(this.#options.folder).catch(this.#warn)
      if (epoch === 1) await workflows.start(run)
      else if (!(await workflows.resume(run))) await this.#endAbandoned(claimedRun)
    } catch (error) {
      this.#warn(`the run ${run} could not be started here: ${messageOf(error)}`)
      await this.#closeLease(run)
      await sleep(LOOK_MS)
    }
  }

  /** DBOS calls this for a run that was started or resumed here. */
  async #host(run: string, steps: DurableSteps): Promise<void> {
    const { tell, now } = this.#options
    const claimedRun = this.#claimedRuns.get(run)
    this.#claimedRuns.delete(run)
    if (claimedRun === undefined) throw steps.elsewhere()
    const { runLease } = claimedRun
    try {
      const end = await hostRun(claimedRun, steps, (event) => tell({ type: 'loop', run, event }))
      this.#ended += 1
      tell({ type: 'ended', run, end, at: now() })
      this.#finished.add(run)
    } catch (error) {
      const why = runLease.lost
      if (why?.message === GIVEN_BACK) {
        this.#givenBack += 1
        tell({ type: 'given-back', run, at: now() })
      } else tell({ type: 'lost', run, why: why?.message ?? messageOf(error), at: now() })
      throw error
    } finally {
      await this.#closeLease(run)
    }
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

  async #forgetFinished(workflows: Workflows): Promise<void> {
    for (const run of this.#finished) if (await workflows.forget(run).catch(() => false)) this.#finished.delete(run)
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
    this.#nudge()
  }

  async #keepAlive(): Promise<void> {
    const { queue } = this.#options
    const { heartbeats, lease, row, worker } = this.#registration
    while (!this.#over) {
      try {
        const status = { worker, queue, draining: this.#draining }
        const heard = await sendHeartbeat(heartbeats, lease, status, this.#runLeases)
        if (heard?.draining) this.#startDraining()
      } catch (error) {
        if (!(error instanceof LostRun)) throw error
        await row.again().catch(() => {})
      }
      await sleep(BEAT_MS)
    }
  }

  readonly #startDraining = (): void => {
    if (this.#draining) return
    this.#draining = true
    this.#options.tell({ type: 'draining', runs: this.#runLeases.size, at: this.#options.now() })
    for (const runLease of this.#runLeases.values()) runLease.drain()
    this.#nudge()
  }

  /** With this worker out of the list, whatever it still had is anybody's at once. */
  readonly #stopNow = (): void => {
    this.#startDraining()
    for (const runLease of this.#runLeases.values()) runLease.lose(new LostRun('the worker was stopped'))
  }

  readonly #warn = (problem: unknown): void => {
    this.#options.tell({ type: 'warning', text: messageOf(problem), at: this.#options.now() })
  }
}

function assertOptions({ queue, concurrency, leaseSeconds = LEASE_SECONDS }: WorkerOptions): void {
  assertQueue(queue)
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new FleetError(`--concurrency is ${concurrency}; give a whole number above 0`)
  if (!(leaseSeconds >= 2)) throw new FleetError(`--lease is ${leaseSeconds}; give at least 2 seconds`)
}
