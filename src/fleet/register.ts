import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { addSecrets } from '../system/environment.ts'
import { addressWithEnvironment, connect, type Database, isOutage } from './database/connect.ts'
import { assertMigrated } from './database/migrate.ts'
import { messageOf } from './errors.ts'
import { registerWorker } from './heartbeat.ts'
import { leaseOf } from './lease.ts'
import { dbos } from './optional-deps.ts'
import type { WorkerOptions } from './types.ts'
import { Wakeup } from './wakeup.ts'
import { secretsOf } from './without-secrets.ts'
import { openWorkerFolder, sweepWorkers } from './worker-folder.ts'
import { processEnvironment, restrictEnvironment } from './workspace-environment.ts'

const RETRY_MS = 1000

export type Registration = NonNullable<Awaited<ReturnType<typeof register>>>

/**
 * Prepares this process and its folder for untrusted agents, and registers the worker in the database. Returns undefined if the
 * worker had to stop before it reached the database.
 */
export async function register(options: WorkerOptions & { readonly leaseSeconds: number }) {
  const { queue, concurrency, leaseSeconds } = options
  const url = addressWithEnvironment(options.url, options.env)
  const worker = `${hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`
  // Checked now, because the worker may wait long for the database, and a missing package should show at once.
  await dbos()
  const heartbeatWakeup = new Wakeup()
  const database = await connect(url, { max: concurrency + 2 })
  // Heartbeats have their own connection, so they don't wait for other queries and can give up early on a late answer.
  const answerMs = Math.max(500, (leaseSeconds * 1000) / 2)
  const heartbeats = await connect(url, { max: 1, idleMs: 0, answerMs, onNotification: heartbeatWakeup.trigger })
  const disconnect = async (): Promise<void> => {
    await Promise.allSettled([database.close(), heartbeats.close()])
  }
  try {
    if (!(await waitForDatabase(database, options))) {
      await disconnect()
      return undefined
    }
    restrictEnvironment(processEnvironment(options.env, options.file, queue))
    // Hides the original arguments, which may contain a password, before the first agent can read them.
    process.title = 'exitgate fleet worker'
    await sweepWorkers(options.folder)
    const folder = openWorkerFolder(options.folder, worker)
    const row = await registerWorker(database, { worker, queue, concurrency, leaseSeconds, folder: options.folder })
    const lease = leaseOf(leaseSeconds)
    const secrets = secretsOf(options.env, url)
    addSecrets(secrets)
    return {
      url,
      worker,
      database,
      heartbeats,
      heartbeatWakeup,
      folder,
      row,
      lease,
      secrets,
      disconnect,
    }
  } catch (error) {
    await disconnect()
    throw error
  }
}

/** Waits while the database restarts. Returns false if the worker had to stop meanwhile. */
async function waitForDatabase({ query }: Database, { drain, stop, emit, now }: WorkerOptions): Promise<boolean> {
  const ends = AbortSignal.any([drain, stop].filter((signal) => signal !== undefined))
  for (let hasWarned = false; !ends.aborted; ) {
    try {
      await assertMigrated(query)
      return true
    } catch (error) {
      // Retrying doesn't help if the server has no TLS.
      if (!isOutage(error) || /does not support SSL/.test(messageOf(error))) throw error
      const text = `Can't reach the database: ${messageOf(error)}. The worker retries every second. If this doesn't go away, check --db or EXITGATE_FLEET_DB.`
      if (!hasWarned) emit({ type: 'warning', text, at: now() })
      hasWarned = true
    }
    await sleep(RETRY_MS, undefined, { signal: ends }).catch(() => {})
  }
  return false
}
