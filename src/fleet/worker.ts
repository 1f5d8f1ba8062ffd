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
  // What this process has of it is taken away below; the worker itself goes on knowing it.
  const options = { ...given, env: { ...given.env } }
  const { queue, concurrency, tell, now, leaseSeconds = LEASE_SECONDS } = options
  assertOptions(options)
  const url = wholeAddress(options.url, options.env)
  const worker = `${hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`
  const database = await connect(url, { max: concurrency + 2 })
  // Signs of life wait for nobody, and nobody waits long for them.
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
  const context = { database, lease, worker: options, folder: folder.dir, cache: folder.cache, secrets }
  const claimedRuns = new Map<string, ClaimedRun>()
  const runLeases = new Map<string, RunLease>()
  const closing = new Map<string, Promise<void>>()
  const finished = new Set<string>()
  const warn = (text: string): void => tell({ type: 'warning', text, at: now() })
  let ended = 0
  let givenBack = 0
  let draining = false
  let over = false
  let nudge = (): void => {}
  const workflows: Workflows = await openWorkflows({ url, worker, host, warn })
  tell({ type: 'worker', worker, queue, at: now() })
  options.drain?.addEventListener('abort', startDraining)
  if (options.drain?.aborted) startDraining()
  options.stop?.addEventListener('abort', stopNow)
  if (options.stop?.aborted) stopNow()

  const alive = keepAlive()
  try {
    while (!(draining && runLeases.size + closing.size === 0)) {
      await tidy()
      const found = draining || runLeases.size >= concurrency ? undefined : await next()
      if (found !== undefined) await begin(found)
      else await Promise.race([sleep(LOOK_MS), new Promise<void>((resolve) => (nudge = resolve))])
    }
  } finally {
    over = true
    await tidy()
    await alive
    options.drain?.removeEventListener('abort', startDraining)
    options.stop?.removeEventListener('abort', stopNow)
    await workflows.close().catch((error) => warn(messageOf(error)))
    await row.leave().catch((error) => warn(messageOf(error)))
    await folder.release().catch((error) => warn(messageOf(error)))
    await Promise.allSettled([database.close(), heartbeats.close()])
  }
  return { ended, givenBack }

  /** What others left comes first: it has waited longest. */
  async function next(): Promise<Claimed | undefined> {
    try {
      const mine = [...runLeases.keys(), ...closing.keys()]
      return (await takeOver(database, queue, worker, mine)) ?? (await claim(database, queue, worker))
    } catch {
      // A database that is away is looked for again at the next look.
      return undefined
    }
  }

  async function begin(claimed: Claimed): Promise<void> {
    const { run, epoch, from } = claimed
    try {
      const claimedRun = await openClaimedRun(claimed, context)
      if ('outcome' in claimedRun) {
        ended += 1
        return tell({ type: 'ended', run, end: claimedRun, at: now() })
      }
      claimedRuns.set(run, claimedRun)
      runLeases.set(run, claimedRun.runLease)
      tell({ type: 'claimed', run, epoch, ...(from === undefined ? {} : { from }), at: now() })
      if (from !== undefined) void sweepWorkers(options.folder).catch((error) => warn(messageOf(error)))
      if (epoch === 1) await workflows.start(run)
      else if (!(await workflows.resume(run))) await abandoned(claimedRun)
    } catch (error) {
      warn(`the run ${run} could not be started here: ${messageOf(error)}`)
      await closeLease(run)
      await sleep(LOOK_MS)
    }
  }

  /** DBOS calls this for a run that was started or resumed here. */
  async function host(run: string, steps: DurableSteps): Promise<void> {
    const claimedRun = claimedRuns.get(run)
    claimedRuns.delete(run)
    if (claimedRun === undefined) throw steps.elsewhere()
    const { runLease } = claimedRun
    try {
      const end = await hostRun(claimedRun, steps, (event) => tell({ type: 'loop', run, event }))
      ended += 1
      tell({ type: 'ended', run, end, at: now() })
      finished.add(run)
    } catch (error) {
      const why = runLease.lost
      if (why?.message === GIVEN_BACK) {
        givenBack += 1
        tell({ type: 'given-back', run, at: now() })
      } else tell({ type: 'lost', run, why: why?.message ?? messageOf(error), at: now() })
      throw error
    } finally {
      await closeLease(run)
    }
  }

  /** A run whose workflow is over, but which nobody finished: it failed where nothing may fail. */
  async function abandoned({ runLease }: ClaimedRun): Promise<void> {
    const nothing = { iterations: 0, usd: 0, tokens: 0, pushes: false } as const
    const end = {
      outcome: 'aborted',
      ending: 'fatal',
      reason: 'the worker before could not finish it',
      ...nothing,
    } as const
    tell({ type: 'ended', run: runLease.run, end: await runLease.finish(end), at: now() })
    await closeLease(runLease.run)
  }

  async function tidy(): Promise<void> {
    for (const run of finished) if (await workflows.forget(run).catch(() => false)) finished.delete(run)
  }

  async function closeLease(run: string): Promise<void> {
    const runLease = runLeases.get(run)
    if (runLease === undefined) return
    const gone = runLease.close().catch((error) => warn(messageOf(error)))
    closing.set(run, gone)
    runLeases.delete(run)
    claimedRuns.delete(run)
    await gone
    closing.delete(run)
    nudge()
  }

  async function keepAlive(): Promise<void> {
    while (!over) {
      try {
        const heard = await sendHeartbeat(heartbeats, lease, { worker, queue, draining }, runLeases)
        if (heard?.draining) startDraining()
      } catch (error) {
        if (!(error instanceof LostRun)) throw error
        await row.again().catch(() => {})
      }
      await sleep(BEAT_MS)
    }
  }

  function startDraining(): void {
    if (draining) return
    draining = true
    tell({ type: 'draining', runs: runLeases.size, at: now() })
    for (const runLease of runLeases.values()) runLease.drain()
    nudge()
  }

  /** With this worker out of the list, whatever it still had is anybody's at once. */
  function stopNow(): void {
    startDraining()
    for (const runLease of runLeases.values()) runLease.lose(new LostRun('the worker was stopped'))
  }
}

function assertOptions({ queue, concurrency, leaseSeconds = LEASE_SECONDS }: WorkerOptions): void {
  assertQueue(queue)
  if (!(Number.isInteger(concurrency) && concurrency > 0))
    throw new FleetError(`--concurrency is ${concurrency}; give a whole number above 0`)
  if (!(leaseSeconds >= 2)) throw new FleetError(`--lease is ${leaseSeconds}; give at least 2 seconds`)
}
