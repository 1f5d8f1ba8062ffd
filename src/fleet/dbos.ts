import { setTimeout as sleep } from 'node:timers/promises'
import type { DBOS as Dbos } from '@dbos-inc/dbos-sdk'
import { cuttablePool } from './database/connect.ts'
import { DBOS_SCHEMA } from './database/migrate.ts'
import type { DurableSteps } from './engine-dbos.ts'
import { dbos } from './optional-deps.ts'

/** The version of what a run's steps are: workers whose versions differ do not take each other's runs. */
const STEPS_VERSION = 'exitgate-1'
const WORKFLOW = 'exitgate.run'
const QUEUE = 'exitgate.'
const POLL_MS = 250
const HOUR_MS = 3_600_000
const CONNECTIONS = 4
const SHUTDOWN_MS = 2_000

export interface DbosOptions {
  readonly url: string
  readonly worker: string
  /** One run, from where it stands to its end. */
  host(run: string, steps: DurableSteps): Promise<void>
  warn(text: string): void
}

/** DBOS as this worker uses it: a run is a workflow by the run's name, and the worker that takes it over resumes it. */
export interface Workflows {
  start(run: string): Promise<void>
  /** Plays a run again and goes on with it here. False when DBOS takes it for finished. */
  resume(run: string): Promise<boolean>
  /**
   * Deletes what DBOS kept of a finished run: everything is in the tables of the fleet. False as long as DBOS does not know that it
   * is over. Not to be called from within a run, where it would be a step.
   */
  forget(run: string): Promise<boolean>
  /** Deletes the queues of workers that are gone, and the workflows of runs that are over. */
  sweep(facts: SweepFacts): Promise<void>
  close(): Promise<void>
}

export interface SweepFacts {
  /** Of these workers, those that are not in the fleet any more. */
  gone(workers: readonly string[]): Promise<readonly string[]>
  /** Of these runs, those that ended a while ago. */
  ended(runs: readonly string[]): Promise<readonly string[]>
}

/** DBOS takes the function of a workflow once for a process, which may open and close DBOS many times. */
let hostCurrent: (run: string) => Promise<void> = async () => {}
let opened = 0
let registered: ((run: string) => Promise<void>) | undefined

/**
 * DBOS polls its queues, delayed workflows and schedules several times a second for as long as it is open, so a worker opens it when
 * it has a run and closes it when it is idle.
 */
export async function openWorkflows({ url, worker, host, warn }: DbosOptions): Promise<Workflows> {
  const { DBOS, DBOSWorkflowConflictError, Error: errors } = await dbos()
  // Runs that are resumed come to this worker through a queue that no other one listens to.
  const queueName = `${QUEUE}${worker}`
  const steps = (run: string): DurableSteps => ({
    runStep: (work, name) => DBOS.runStep(work, { name }),
    elsewhere: () => new DBOSWorkflowConflictError(run),
    isElsewhere: (error) => error instanceof DBOSWorkflowConflictError,
  })
  const { pool, end } = await cuttablePool(url, CONNECTIONS)
  let isOpen = true
  DBOS.setConfig({
    name: 'exitgate',
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    runMigrations: false,
    // A new name each time: DBOS would otherwise offer what it left unfinished to every worker.
    executorID: `${worker}.${++opened}`,
    applicationVersion: STEPS_VERSION,
    listenQueues: [queueName],
    // Runs neither send messages nor have schedules.
    useListenNotify: false,
    schedulerPollingIntervalMs: HOUR_MS,
    logger: { info() {}, debug() {}, warn() {}, error: (text) => isOpen && warn(String(text)) },
  })
  hostCurrent = (run) => host(run, steps(run))
  registered ??= DBOS.registerWorkflow((run: string) => hostCurrent(run), { name: WORKFLOW })
  const workflow = registered
  const shutDown = async (): Promise<void> => {
    isOpen = false
    // A query that is never answered would keep DBOS open, and what still waits for the database must not reach it later.
    const shut = DBOS.shutdown().catch(() => {})
    await Promise.race([shut, sleep(SHUTDOWN_MS)])
    await end(SHUTDOWN_MS)
    await shut
  }
  try {
    await DBOS.launch()
  } catch (error) {
    // A launch that failed half-way counts as launched, and would make every later one fail.
    await shutDown()
    throw error
  }
  let hasQueue = false

  async function start(run: string): Promise<void> {
    const handle = await DBOS.startWorkflow(workflow, { workflowID: run })(run)
    // Its host tells what became of it; here the rejection must only be handled.
    handle.getResult().catch(() => {})
  }

  return {
    start,
    async resume(run) {
      // Each time: another worker deletes the queue of one that was silent for long.
      await DBOS.registerQueue(queueName, { minPollingIntervalMs: POLL_MS, onConflict: 'always_update' })
      hasQueue = true
      try {
        await DBOS.resumeWorkflow(run, { queueName })
      } catch (error) {
        if (!(error instanceof errors.DBOSNonExistentWorkflowError)) throw error
        // The worker before died between its claim and its start.
        await start(run)
        return true
      }
      return !isOver(await statusOf(DBOS, run))
    },
    async forget(run) {
      const status = await statusOf(DBOS, run)
      if (isOver(status)) await DBOS.deleteWorkflow(run)
      return status === undefined || isOver(status)
    },
    async sweep({ gone, ended }) {
      const names = (await DBOS.listQueues()).map(({ name }) => name).filter((name) => name.startsWith(QUEUE))
      const owners = await gone(names.map((name) => name.slice(QUEUE.length)))
      for (const owner of owners) await DBOS.deleteQueue(`${QUEUE}${owner}`)
      const known = await DBOS.listWorkflows({ workflowName: WORKFLOW, loadInput: false, loadOutput: false })
      const over = await ended(known.map(({ workflowID }) => workflowID))
      if (over.length > 0) await DBOS.deleteWorkflows([...over])
    },
    async close() {
      if (hasQueue) await Promise.race([DBOS.deleteQueue(queueName).catch(() => {}), sleep(SHUTDOWN_MS)])
      await shutDown()
    },
  }
}

const statusOf = async (DBOS: typeof Dbos, run: string): Promise<string | undefined> =>
  (await DBOS.getWorkflowStatus(run))?.status

const isOver = (status: string | undefined): boolean => status === 'SUCCESS' || status === 'ERROR'
