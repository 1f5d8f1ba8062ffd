import { type DbosOptions, openWorkflows, type SweepFacts, type Workflows } from './dbos.ts'

/** DBOS, opened for the first run and closed when there is none, because it polls the database for as long as it is open. */
export class WorkflowsOnDemand {
  readonly #options: DbosOptions
  readonly #facts: SweepFacts
  /** Ended here, and still known to DBOS. */
  readonly #finished = new Set<string>()
  #isForgetting = false
  #opening: Promise<Workflows> | undefined
  #closing: Promise<void> = Promise.resolve()

  constructor(options: DbosOptions, facts: SweepFacts) {
    this.#options = options
    this.#facts = facts
  }

  open(): Promise<Workflows> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** DBOS can delete what it kept of the run, as soon as it knows itself that it is over. */
  finished(run: string): void {
    this.#finished.add(run)
  }

  get hasFinished(): boolean {
    return this.#finished.size > 0
  }

  async forgetFinished(): Promise<void> {
    if (this.#isForgetting) return
    this.#isForgetting = true
    const workflows = await this.#opening?.catch(() => undefined)
    // What is not deleted now is swept when DBOS is opened again, by this worker or another.
    for (const run of this.#finished)
      if (workflows === undefined || (await workflows.forget(run).catch(() => true))) this.#finished.delete(run)
    this.#isForgetting = false
  }

  /** Also for a database that was away: calls that DBOS still repeats then do not reach it when it is back. */
  close(): Promise<void> {
    const open = this.#opening
    this.#opening = undefined
    this.#isForgetting = false
    if (open !== undefined)
      this.#closing = this.#closing.then(async () => (await open.catch(() => undefined))?.close()).catch(() => {})
    return this.#closing
  }

  async #open(): Promise<Workflows> {
    await this.#closing
    try {
      const workflows = await openWorkflows(this.#options)
      void workflows.sweep(this.#facts).catch(() => {})
      return workflows
    } catch (error) {
      this.#opening = undefined
      throw error
    }
  }
}
