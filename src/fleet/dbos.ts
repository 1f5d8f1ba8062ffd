import type { DBOS as Dbos } from '@dbos-inc/dbos-sdk'
import { DBOS_SCHEMA } from './database/migrate.ts'
import type { DurableSteps } from './engine-dbos.ts'
import { dbos } from './optional-deps.ts'

/** The version of what a run's steps are: workers whose versions differ do not take each other's runs. */
const STEPS_VERSION = 'exitgate-1'

export interface DbosOptions {
  readonly url: string
  readonly worker: string
  /** One run, from where it stands to its end. */
  host(run: string, steps: DurableSteps): Promise<void>
  warn(text: string): void
}

/** DBOS as this worker uses it: a run is a workflow by the run's name, and whoever takes it over resumes it. */
export interface Workflows {
  start(run: string): Promise<void>
  /** Plays a run again and goes on with it here. False when DBOS takes it for finished. */
  resume(run: string): Promise<boolean>
  /**
   * What DBOS kept of a finished run is of no use to anybody: everything is in the tables of the fleet. False as long as DBOS does not
   * know that it is over. Not to be called from within a run, where it would be a step.
   */
  forget(run: string): Promise<boolean>
  close(): Promise<void>
}

export async function openWorkflows({ url, worker, host, warn }: DbosOptions): Promise<Workflows> {
  const { DBOS, DBOSWorkflowConflictError, Error: errors } = await dbos()
  // Runs that are resumed come to this worker through a queue that nobody else listens to.
  const queueName = `exitgate.${worker}`
  const steps = (run: string): DurableSteps => ({
    runStep: (work, name) => DBOS.runStep(work, { name }),
    elsewhere: () => new DBOSWorkflowConflictError(run),
    isElsewhere: (error) => error instanceof DBOSWorkflowConflictError,
  })
  DBOS.setConfig({
    name: 'exitgate',
    systemDatabaseUrl: url,
    systemDatabaseSchemaName: DBOS_SCHEMA,
    runMigrations: false,
    executorID: worker,
    applicationVersion: STEPS_VERSION,
    listenQueues: [queueName],
    logger: { info() {}, debug() {}, warn() {}, error: (text) => warn(String(text)) },
  })
  const workflow = DBOS.registerWorkflow((run: string) => host(run, steps(run)), { name: 'exitgate.run' })
  await DBOS.launch()
  await DBOS.registerQueue(queueName, { minPollingIntervalMs: 250, onConflict: 'always_update' })

  async function start(run: string): Promise<void> {
    const handle = await DBOS.startWorkflow(workflow, { workflowID: run })(run)
    // What it comes to is told by whoever hosts it; here it must only not be unheard.
    handle.getResult().catch(() => {})
  }

  return {
    start,
    async resume(run) {
      try {
        await DBOS.resumeWorkflow(run, { queueName })
      } catch (error) {
        if (!(error instanceof errors.DBOSNonExistentWorkflowError)) throw error
        // The worker before died between its claim and its start.
        await start(run)
        return true
      }
      return !(await isOver(DBOS, run))
    },
    async forget(run) {
      if (!(await isOver(DBOS, run))) return false
      await DBOS.deleteWorkflow(run)
      return true
    },
    async close() {
      await DBOS.deleteQueue(queueName).catch(() => {})
      await DBOS.shutdown()
    },
  }
}

async function isOver(DBOS: typeof Dbos, run: string): Promise<boolean> {
  const status = (await DBOS.getWorkflowStatus(run))?.status
  return status === 'SUCCESS' || status === 'ERROR'
}
