import { setTimeout as sleep } from 'node:timers/promises'
import type { DBOS as Dbos } from '@dbos-inc/dbos-sdk'
import { cuttablePool } from './database/connect.ts'
import { DBOS_SCHEMA } from './database/migrate.ts'
import type { DurableSteps } from './engine-dbos.ts'
import { dbos } from './optional-deps.ts'

/** Version of the steps of a run. Workers of different versions don't take each other's runs. */
const STEPS_VERSION = 'exitgate-1'
const WORKFLOW = 'exitgate.run'
const QUEUE = 'exitgate.'
const POLL_MS = 250
const HOUR_MS = 3_600_000
const CONNECTIONS = 4
const SHUTDOWN_MS = 2_000
/** A start that takes longer waits for an answer that may never come. */
const LAUNCH_MS = 30_000

export interface DbosOptions {
  readonly url: string
  readonly worker: string
  /** Runs one run from its current step to its end. */
  host(run: string, steps: DurableSteps): Promise<void>
  warn(text: string): void
}

/** DBOS as this worker uses it. A run is a workflow with the run's name, and a worker that takes it over resumes it. */
export interface Workflows {
  start(run: string): Promise<void>
  /** Replays a run and continues it here. Returns false if DBOS considers it finished. */
  resume(run: string): Promise<boolean>
  /**
   * Deletes what DBOS stored about a finished run; the fleet's tables have everything. Returns false until DBOS knows the run is
   * over. Never call it inside a run, where it would count as a step.
   */
  forget(run: string): Promise<boolean>
  /** Deletes the queues of workers that left, and the workflows of finished runs. */
  sweep(facts: SweepFacts): Promise<void>
  close(): Promise<void>
}

export interface SweepFacts {
  /** Which of these workers are no longer in the fleet. */
  goneWorkers(workers: readonly string[]): Promise<readonly string[]>
  /** Which of these runs ended a while ago. */
  endedRuns(runs: readonly string[]): Promise<readonly string[]>
}

/** DBOS registers a workflow function once per process, but the process may open and close DBOS many times. */
let hostCurrent: (run: string) => Promise<void> = async () => {}
let opened = 0
let registered: ((run: string) => Promise<void>) | undefined

/**
 * DBOS polls its queues, delayed workflows and schedules several times a second while it is open. So a worker opens it for its
 * first run and closes it when idle.
 */
export async function openWorkflows({ url, worker, host, warn }: DbosOptions): Promise<Workflows> {
  const { DBOS, DBOSWorkflowConflictError, Error: errors } = await dbos()
  // Resumed runs reach this worker through a queue that no other worker listens to.
  const queueName = `${QUEUE}${worker}`
  const steps = (run: string): DurableSteps => ({
    runStep: (work, name) => DBOS.runStep(work, { name }),
    ownedElsewhere: () => new DBOSWorkflowConflictError(run),
    isOwnedElsewhere: (error) => error instanceof DBOSWorkflowConflictError,
  })
  const { pool, cut, end } = await cuttablePool(url, CONNECTIONS)
  let isOpen = true
  DBOS.setConfig({
    name: 'exitgate',
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    runMigrations: false,
    // A new name each time, because DBOS would otherwise offer unfinished workflows to every worker.
    executorID: `${worker}.${++opened}`,
    applicationVersion: STEPS_VERSION,
    listenQueues: [queueName],
    // Runs don't send messages and have no schedules.
    useListenNotify: false,
    schedulerPollingIntervalMs: HOUR_MS,
    logger: { info() {}, debug() {}, warn() {}, error: (text) => isOpen && warn(String(text)) },
  })
  hostCurrent = (run) => host(run, steps(run))
  registered ??= DBOS.registerWorkflow((run: string) => hostCurrent(run), { name: WORKFLOW })
  const workflow = registered
  const shutDown = async (): Promise<void> => {
    isOpen = false
    // A query without an answer would keep DBOS open, and a delayed query must not reach the database later.
    const shut = DBOS.shutdown().catch(() => {})
    await Promise.race([shut, sleep(SHUTDOWN_MS)])
    await end(SHUTDOWN_MS)
    await shut
  }
  const cutting = setInterval(cut, LAUNCH_MS)
  try {
    await DBOS.launch()
  } catch (error) {
    // A launch that failed half-way counts as launched and would make every later one fail.
    await shutDown()
    throw error
  } finally {
    clearInterval(cutting)
  }
  let hasQueue = false

  async function start(run: string): Promise<void> {
    const handle = await DBOS.startWorkflow(workflow, { workflowID: run })(run)
    // The host reports the result; here the rejection only needs a handler.
    handle.getResult().catch(() => {})
  }

  return {
    start,
    async resume(run) {
      // Registered each time, because other workers delete the queue of a worker that was silent for long.
      await DBOS.registerQueue(queueName, { minPollingIntervalMs: POLL_MS, onConflict: 'always_update' })
      hasQueue = true
      try {
        await DBOS.resumeWorkflow(run, { queueName })
      } catch (error) {
        if (!(error instanceof errors.DBOSNonExistentWorkflowError)) throw error
        // The previous worker died between claiming the run and starting it.
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
    async sweep({ goneWorkers, endedRuns }) {
      const names = (await DBOS.listQueues()).map(({ name }) => name).filter((name) => name.startsWith(QUEUE))
      const owners = await goneWorkers(names.map((name) => name.slice(QUEUE.length)))
      for (const owner of owners) await DBOS.deleteQueue(`${QUEUE}${owner}`)
      const known = await DBOS.listWorkflows({ workflowName: WORKFLOW, loadInput: false, loadOutput: false })
      const over = await endedRuns(known.map(({ workflowID }) => workflowID))
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
