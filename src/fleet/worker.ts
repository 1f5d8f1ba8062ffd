import { setTimeout as sleep } from 'node:timers/promises'
import { claim, takeOver } from './claim.ts'
import { FleetError, messageOf } from './errors.ts'
import { sendHeartbeat } from './heartbeat.ts'
import { HeldRuns } from './held-runs.ts'
import { type Registration, register } from './register.ts'
import { RunTraces } from './run-traces.ts'
import { assertQueue } from './submit.ts'
import { sweepFleet } from './sweep.ts'
import type { Claimed, WorkerEnd, WorkerOptions } from './types.ts'
import { Wakeup } from './wakeup.ts'

const LEASE_SECONDS = 5
/** Heartbeats per lease. A worker without runs has nothing to lose, so a few transactions are enough. */
const BEATS_PER_LEASE = { busy: 4, idle: 2 }
const RETRY_MS = 250
/** After a search for work that failed. */
const CLAIM_AGAIN_MS = 1_000
/** Minimum pause between heartbeats, however many notifications arrive. */
const MIN_BEAT_MS = 100
/** After this time without a run, DBOS is closed. */
const IDLE_MS = 10_000
/** The same while DBOS still has to record the end of a run. */
const LONG_IDLE_MS = 60_000
const SWEEP_MS = 10 * 60_000
/** After a sweep that failed. */
const SWEEP_AGAIN_MS = 30_000
/** How long a worker that must stop at once waits for its agents and connections to end. */
const STOP_MS = 10_000
const LEAVE_MS = 5_000
/** The same while the database is unreachable. */
const LEAVE_CUT_OFF_MS = 500

/** Runs one worker: takes ready tasks and orphaned runs until it has to stop. */
export async function runWorker(given: WorkerOptions): Promise<WorkerEnd> {
  // `register` removes most of the environment from this process; the worker itself still needs it.
  const traces = new RunTraces({ ...given, env: { ...given.env } })
  const emit: WorkerOptions['emit'] = (event) => {
    traces.tell(event)
    given.emit(event)
  }
  const options = { ...given, emit, env: { ...given.env }, leaseSeconds: given.leaseSeconds ?? LEASE_SECONDS }
  assertOptions(options)
  const registration = await register(options)
  if (registration === undefined) return { ended: 0, givenBack: 0 }
  try {
    return await new Worker(options, registration).run()
  } finally {
    await traces.close()
  }
}

type Options = WorkerOptions & { readonly leaseSeconds: number }

class Worker {
  readonly #options: Options
  readonly #registration: Registration
  readonly #runs: HeldRuns
  #isMaintaining = false
  #idleSince = performance.now()
  #sweepAt = Number.NEGATIVE_INFINITY
  #isSweeping = false
  readonly #unsweptRemotes = new Set<string>()
  #isDraining = false
  #isOver = false
  /** There may be something to claim. */
  #mayHaveWork = true
  /** Ends the pause between two searches for work. */
  readonly #wakeUp = new Wakeup()

  constructor(options: Options, registration: Registration) {
    this.#options = options
    this.#registration = registration
    this.#runs = new HeldRuns(options, registration, () => {
      this.#idleSince = performance.now()
      this.#lookForWork()
    })
  }

  async run(): Promise<WorkerEnd> {
    const { queue, emit, now, drain, stop } = this.#options
    const { worker, heartbeatWakeup } = this.#registration
    emit({ type: 'worker', worker, queue, at: now() })
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
      heartbeatWakeup.trigger()
      drain?.removeEventListener('abort', this.#startDraining)
      await Promise.race([alive, sleep(LEAVE_MS, undefined, { ref: false })])
      await this.#leave()
    }
    return this.#runs.counts
  }

  async #leave(): Promise<void> {
    const { lease, row, folder, disconnect } = this.#registration
    // An unreachable database must not keep a worker from exiting; another worker then removes its row.
    const withTimeout = (work: Promise<unknown>): Promise<unknown> => {
      const ms = lease.held() ? LEAVE_MS : LEAVE_CUT_OFF_MS
      return Promise.race([work.catch(this.#warn), sleep(ms, undefined, { ref: false })])
    }
    await withTimeout(this.#runs.workflows.forgetFinished())
    await withTimeout(this.#runs.workflows.close())
    // A connection may have broken while it was idle.
    await withTimeout(row.unregister().catch(() => row.unregister()))
    await folder.release().catch(this.#warn)
    await withTimeout(disconnect())
  }

  async #takeRuns(): Promise<void> {
    const { concurrency, leaseSeconds } = this.#options
    const { lease, heartbeatWakeup } = this.#registration
    while (!(this.#isDraining && this.#runs.busyRuns.length === 0)) {
      // A worker that others may consider dead takes nothing from them.
      const mayClaim = this.#mayHaveWork && !this.#isDraining && this.#runs.leases.size < concurrency && lease.held()
      if (mayClaim) {
        this.#mayHaveWork = false
        const found = await this.#next()
        if (found === undefined) continue
        this.#mayHaveWork = true
        // A run starts with a fresh lease, because an idle worker renews it less often.
        heartbeatWakeup.trigger()
        await this.#runs.begin(found)
      } else await this.#wakeUp.wait(leaseSeconds * 1000)
    }
  }

  /** Orphaned runs come first, because they have waited longest. */
  async #next(): Promise<Claimed | undefined> {
    const { queue } = this.#options
    const { database, worker } = this.#registration
    try {
      return (await takeOver(database, queue, worker, this.#runs.busyRuns)) ?? (await claim(database, queue, worker))
    } catch {
      // Without a lease nothing is claimed. Then the next answered heartbeat tells whether there is work.
      setTimeout(() => this.#lookForWork(), CLAIM_AGAIN_MS).unref()
      return undefined
    }
  }

  async #keepAlive(): Promise<void> {
    const { heartbeatWakeup } = this.#registration
    while (!this.#isOver) {
      const sentAt = performance.now()
      const pause = await this.#beat()
      await heartbeatWakeup.wait(pause)
      await sleep(Math.max(0, sentAt + MIN_BEAT_MS - performance.now()))
    }
  }

  /** One heartbeat, and the reaction to its answer. Returns how long the next one can wait. */
  async #beat(): Promise<number> {
    const { queue, leaseSeconds } = this.#options
    const { heartbeats, lease, row, worker } = this.#registration
    const beats = this.#runs.leases.size > 0 ? BEATS_PER_LEASE.busy : BEATS_PER_LEASE.idle
    const usual = (leaseSeconds * 1000) / beats
    try {
      const status = { worker, queue, draining: this.#isDraining }
      const answer = await sendHeartbeat(heartbeats, lease, status, this.#runs.leases, this.#runs.busyRuns)
      if (answer?.draining) this.#startDraining()
      if (answer?.work) this.#lookForWork()
      void this.#maintain(answer !== undefined).catch(this.#warn)
      if (answer === undefined || this.#runs.workflows.hasFinished) return Math.min(RETRY_MS, usual)
      const { expiresMs } = answer
      // Looks again as soon as the lease of a silent worker expires, to take over its runs.
      return expiresMs !== null && expiresMs > 0 ? Math.min(usual, expiresMs + 20) : usual
    } catch {
      await row.reregister().catch(() => {})
      return RETRY_MS
    }
  }

  /** Housekeeping between two heartbeats; no heartbeat waits for it. */
  async #maintain(isReachable: boolean): Promise<void> {
    const { database, lease } = this.#registration
    const isCutOff = !isReachable && !lease.held()
    // Nothing may wait for an answer any more: the runs are lost, and the worker may have to exit.
    if (isCutOff) database.cut()
    if (this.#isMaintaining) return
    this.#isMaintaining = true
    try {
      await this.#runs.maintain()
      const idleMs = this.#runs.leases.size === 0 ? performance.now() - this.#idleSince : 0
      const isIdle = idleMs > (this.#runs.workflows.hasFinished ? LONG_IDLE_MS : IDLE_MS)
      if (isReachable) void this.#runs.workflows.forgetFinished()
      if (isReachable) void this.#runs.workflows.sweep()
      if (isIdle || isCutOff) await this.#runs.workflows.close()
      if (isReachable && performance.now() > this.#sweepAt) void this.#sweep()
    } finally {
      this.#isMaintaining = false
    }
  }

  async #sweep(): Promise<void> {
    if (this.#isSweeping) return
    this.#isSweeping = true
    this.#sweepAt = performance.now() + SWEEP_MS
    const { database, worker } = this.#registration
    await sweepFleet(database, this.#options, worker, this.#unsweptRemotes).catch((error) => {
      this.#sweepAt = performance.now() + SWEEP_AGAIN_MS
      this.#warn(error)
    })
    this.#isSweeping = false
  }

  #lookForWork(): void {
    this.#mayHaveWork = true
    this.#wakeUp.trigger()
  }

  readonly #startDraining = (): void => {
    if (this.#isDraining) return
    this.#isDraining = true
    this.#options.emit({ type: 'draining', runs: this.#runs.leases.size, at: this.#options.now() })
    this.#runs.drain()
    this.#wakeUp.trigger()
    this.#registration.heartbeatWakeup.trigger()
  }

  /** Other workers take the remaining runs once this worker is out of the list. */
  #loseAll(): void {
    this.#startDraining()
    this.#runs.stop()
    this.#registration.heartbeatWakeup.trigger()
  }

  readonly #warn = (problem: unknown): void => {
    this.#options.emit({ type: 'warning', text: messageOf(problem), at: this.#options.now() })
  }
}

function assertOptions({ queue, concurrency, leaseSeconds }: Options): void {
  assertQueue(queue)
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new FleetError(`--concurrency is ${concurrency}. Use a whole number above 0.`)
  if (!(leaseSeconds >= 2)) throw new FleetError(`--lease is ${leaseSeconds}. Use at least 2 seconds.`)
}
