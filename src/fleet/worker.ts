import { setTimeout as sleep } from 'node:timers/promises'
import { Bell } from './bell.ts'
import { claim, clearLeftovers } from './claim.ts'
import { FleetError, messageOf } from './errors.ts'
import { sendHeartbeat } from './heartbeat.ts'
import { HeldRuns } from './held-runs.ts'
import { type Registration, register } from './register.ts'
import { assertQueue } from './submit.ts'
import { sweepFleet } from './sweep.ts'
import type { Claimed, WorkerEnd, WorkerOptions } from './types.ts'

const LEASE_SECONDS = 5
/** Several heartbeats fit into a lease. With the usual lease, that is less than one a second. */
const BEATS_PER_LEASE = 4
const RETRY_MS = 250
/** However many notifications arrive. */
const MOST_OFTEN_MS = 100
/** Without a run for so long, DBOS is closed. */
const IDLE_MS = 10_000
/** The same while it still has to record the end of one. */
const LONG_IDLE_MS = 60_000
const SWEEP_MS = 10 * 60_000
/** So long a worker that must end at once waits for its agents and connections to end. */
const STOP_MS = 10_000
const LEAVE_MS = 5_000

/** One machine's part in the fleet: takes what is ready and what others left, until it is asked to end. */
export async function runWorker(given: WorkerOptions): Promise<WorkerEnd> {
  // `register` removes most of the environment from this process; the worker itself still needs it.
  const options = { ...given, env: { ...given.env }, leaseSeconds: given.leaseSeconds ?? LEASE_SECONDS }
  assertOptions(options)
  const registration = await register(options)
  return registration === undefined ? { ended: 0, givenBack: 0 } : new Worker(options, registration).run()
}

type Options = WorkerOptions & { readonly leaseSeconds: number }

class Worker {
  readonly #options: Options
  readonly #registration: Registration
  readonly #runs: HeldRuns
  #isTending = false
  #idleSince = performance.now()
  #sweptAt = Number.NEGATIVE_INFINITY
  #isDraining = false
  #isOver = false
  /** There may be something to claim. */
  #work = true
  /** Ends the pause between two looks for work. */
  readonly #look = new Bell()

  constructor(options: Options, registration: Registration) {
    this.#options = options
    this.#registration = registration
    this.#runs = new HeldRuns(options, registration, () => {
      this.#idleSince = performance.now()
      this.#lookForWork()
    })
  }

  async run(): Promise<WorkerEnd> {
    const { queue, tell, now, drain, stop } = this.#options
    const { worker, news } = this.#registration
    tell({ type: 'worker', worker, queue, at: now() })
    drain?.addEventListener('abort', this.#startDraining)
    if (drain?.aborted) this.#startDraining()
    const stopped = new Promise<void>((resolve) => {
      const stopNow = (): void => {
        this.#loseAll()
        setTimeout(resolve, STOP_MS).unref()
      }
      stop?.addEventListener('abort', stopNow, { once: true })
      if (stop?.aborted) stopNow()
    })
    const alive = this.#keepAlive()
    try {
      await Promise.race([this.#takeRuns(), stopped])
    } finally {
      this.#isOver = true
      news.ring()
      drain?.removeEventListener('abort', this.#startDraining)
      await Promise.race([alive, sleep(LEAVE_MS, undefined, { ref: false })])
      await this.#leave()
    }
    return this.#runs.counts
  }

  async #leave(): Promise<void> {
    const { row, folder, leave } = this.#registration
    // A database that is away must not keep a worker from ending; its row is then removed by another one.
    const most = (work: Promise<unknown>): Promise<unknown> =>
      Promise.race([work.catch(this.#warn), sleep(LEAVE_MS, undefined, { ref: false })])
    await most(this.#runs.workflows.forgetFinished())
    await most(this.#runs.workflows.close())
    await most(row.leave())
    await folder.release().catch(this.#warn)
    await most(leave())
  }

  async #takeRuns(): Promise<void> {
    const { concurrency, leaseSeconds } = this.#options
    const { lease } = this.#registration
    while (!(this.#isDraining && this.#runs.names.length === 0)) {
      // A worker that may itself be taken for dead takes nothing from others.
      const mayClaim = this.#work && !this.#isDraining && this.#runs.leases.size < concurrency && lease.held()
      if (mayClaim) {
        this.#work = false
        const found = await this.#next()
        if (found === undefined) continue
        this.#work = true
        await this.#runs.begin(found)
      } else await this.#look.wait(leaseSeconds * 1000)
    }
  }

  /** What others left comes first: it has waited longest. */
  async #next(): Promise<Claimed | undefined> {
    const { queue } = this.#options
    const { database, worker } = this.#registration
    try {
      return (await clearLeftovers(database, queue, worker, this.#runs.names)) ?? (await claim(database, queue, worker))
    } catch {
      // While the database is away the next heartbeat that is answered says whether there is work.
      return undefined
    }
  }

  async #keepAlive(): Promise<void> {
    const { news } = this.#registration
    while (!this.#isOver) {
      const sentAt = performance.now()
      const pause = await this.#beat()
      await news.wait(pause)
      await sleep(Math.max(0, sentAt + MOST_OFTEN_MS - performance.now()))
    }
  }

  /** One heartbeat and what follows from its answer. Returns how long the next one can wait. */
  async #beat(): Promise<number> {
    const { queue, leaseSeconds } = this.#options
    const { heartbeats, lease, row, worker } = this.#registration
    const usual = (leaseSeconds * 1000) / BEATS_PER_LEASE
    try {
      const status = { worker, queue, draining: this.#isDraining }
      const answer = await sendHeartbeat(heartbeats, lease, status, this.#runs.leases, this.#runs.names)
      if (answer?.draining) this.#startDraining()
      if (answer?.work) this.#lookForWork()
      void this.#tend(answer !== undefined).catch(this.#warn)
      if (answer === undefined || this.#runs.workflows.hasFinished) return Math.min(RETRY_MS, usual)
      const { expiresMs } = answer
      // The runs of a worker that stays silent are taken over as soon as its lease is over.
      return expiresMs !== null && expiresMs > 0 ? Math.min(usual, expiresMs + 20) : usual
    } catch {
      await row.again().catch(() => {})
      return RETRY_MS
    }
  }

  /** What is due between two heartbeats, none of which waits for it. */
  async #tend(isReachable: boolean): Promise<void> {
    if (this.#isTending) return
    this.#isTending = true
    try {
      await this.#runs.tend()
      const idleMs = this.#runs.leases.size === 0 ? performance.now() - this.#idleSince : 0
      const isIdle = idleMs > (this.#runs.workflows.hasFinished ? LONG_IDLE_MS : IDLE_MS)
      const isCutOff = !isReachable && !this.#registration.lease.held()
      if (isReachable) void this.#runs.workflows.forgetFinished()
      if (isIdle || isCutOff) await this.#runs.workflows.close()
      if (isReachable && performance.now() - this.#sweptAt > SWEEP_MS) this.#sweep()
    } finally {
      this.#isTending = false
    }
  }

  #sweep(): void {
    this.#sweptAt = performance.now()
    const { database, worker } = this.#registration
    void sweepFleet(database, this.#options, worker).catch(this.#warn)
  }

  #lookForWork(): void {
    this.#work = true
    this.#look.ring()
  }

  readonly #startDraining = (): void => {
    if (this.#isDraining) return
    this.#isDraining = true
    this.#options.tell({ type: 'draining', runs: this.#runs.leases.size, at: this.#options.now() })
    this.#runs.drain()
    this.#look.ring()
    this.#registration.news.ring()
  }

  /** Once this worker is out of the list, other workers take what it still had. */
  #loseAll(): void {
    this.#startDraining()
    this.#runs.stop()
    this.#registration.news.ring()
  }

  readonly #warn = (problem: unknown): void => {
    this.#options.tell({ type: 'warning', text: messageOf(problem), at: this.#options.now() })
  }
}

function assertOptions({ queue, concurrency, leaseSeconds }: Options): void {
  assertQueue(queue)
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new FleetError(`--concurrency is ${concurrency}; give a whole number above 0`)
  if (!(leaseSeconds >= 2)) throw new FleetError(`--lease is ${leaseSeconds}; give at least 2 seconds`)
}
