import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { addSecrets } from '../system/environment.ts'
import { Bell } from './bell.ts'
import { connect, type Database, isOutage, wholeAddress } from './database/connect.ts'
import { assertMigrated } from './database/migrate.ts'
import { messageOf } from './errors.ts'
import { registerWorker } from './heartbeat.ts'
import { leaseOf } from './lease.ts'
import { dbos } from './optional-deps.ts'
import type { WorkerOptions } from './types.ts'
import { secretsOf } from './without-secrets.ts'
import { openWorkerFolder, sweepWorkers } from './worker-folder.ts'
import { leaveOnly, processEnvironment } from './workspace-environment.ts'

const RETRY_MS = 1000

export type Registration = NonNullable<Awaited<ReturnType<typeof register>>>

/**
 * Prepares this process and its folder for agents that are not trusted, and enters the worker in the database. Undefined when it was
 * asked to end before the database could be reached.
 */
export async function register(options: WorkerOptions & { readonly leaseSeconds: number }) {
  const { queue, concurrency, leaseSeconds } = options
  const url = wholeAddress(options.url, options.env)
  const worker = `${hostname()
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 40)}-${process.pid}-${randomBytes(3).toString('hex')}`
  // Now, because after this the worker may wait for the database for long, and a missing package is to be known at once.
  await dbos()
  const news = new Bell()
  const database = await connect(url, { max: concurrency + 2 })
  // A connection of their own: heartbeats do not wait for other queries, and an answer that is late is given up soon.
  const answerMs = Math.max(500, (leaseSeconds * 1000) / 2)
  const heartbeats = await connect(url, { max: 1, idleMs: 0, answerMs, onNews: news.ring })
  const leave = async (): Promise<void> => {
    await Promise.allSettled([database.close(), heartbeats.close()])
  }
  try {
    if (!(await isThere(database, options))) {
      await leave()
      return undefined
    }
    leaveOnly(processEnvironment(options.env, options.file, queue))
    // Replaces the arguments it was started with, which may contain a password, before the first agent can look.
    process.title = 'exitgate fleet worker'
    await sweepWorkers(options.folder)
    const folder = openWorkerFolder(options.folder, worker)
    const row = await registerWorker(database, { worker, queue, concurrency, leaseSeconds, folder: options.folder })
    const lease = leaseOf(leaseSeconds)
    const secrets = secretsOf(options.env, url)
    addSecrets(secrets)
    return { url, worker, database, heartbeats, news, folder, row, lease, secrets, leave }
  } catch (error) {
    await leave()
    throw error
  }
}

/** Waits for a database that restarts. False when the worker was asked to end meanwhile. */
async function isThere({ query }: Database, { drain, stop, tell, now }: WorkerOptions): Promise<boolean> {
  const ends = AbortSignal.any([drain, stop].filter((signal) => signal !== undefined))
  for (let told = false; !ends.aborted; ) {
    try {
      await assertMigrated(query)
      return true
    } catch (error) {
      // A server without TLS stays one.
      if (!isOutage(error) || /does not support SSL/.test(messageOf(error))) throw error
      const text = `The database cannot be reached: ${messageOf(error)}. The worker tries again every second until it can; if it never will, check --db or EXITGATE_FLEET_DB.`
      if (!told) tell({ type: 'warning', text, at: now() })
      told = true
    }
    await sleep(RETRY_MS, undefined, { signal: ends }).catch(() => {})
  }
  return false
}
