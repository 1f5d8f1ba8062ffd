import { type DbosOptions, openWorkflows, type SweepFacts, type Workflows } from './dbos.ts'

/** Opens DBOS for the first run and closes it when there is none, because it polls the database while it is open. */
export class WorkflowsOnDemand {
  readonly #options: DbosOptions
  readonly #facts: SweepFacts
  /** Runs that ended here and that DBOS still stores. */
  readonly #finished = new Set<string>()
  #isForgetting = false
  #opening: Promise<Workflows> | undefined
  /** What `#opening` was when it was swept. */
  #swept: Promise<Workflows> | undefined
  #closing: Promise<void> = Promise.resolve()

  constructor(options: DbosOptions, facts: SweepFacts) {
    this.#options = options
    this.#facts = facts
  }

  open(): Promise<Workflows> {
    if (this.#opening !== undefined) return this.#opening
    const opening = this.#closing.then(() => openWorkflows(this.#options))
    this.#opening = opening
    opening.then(
      () => this.sweep(),
      () => {
        if (this.#opening === opening) this.#opening = undefined
      },
    )
    return opening
  }

  /** Removes what dead workers left in DBOS, once each time it is open. If it failed, the next call tries again. */
  async sweep(): Promise<void> {
    const opening = this.#opening
    const workflows = await opening?.catch(() => undefined)
    if (workflows === undefined || this.#swept === opening) return
    this.#swept = opening
    await workflows.sweep(this.#facts).catch(() => {
      this.#swept = undefined
    })
  }

  /** DBOS can delete the run's data once it knows the run is over. */
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
    // What is not deleted now is deleted when this or another worker opens DBOS again.
    for (const run of this.#finished)
      if (workflows === undefined || (await workflows.forget(run).catch(() => true))) this.#finished.delete(run)
    this.#isForgetting = false
  }

  /** Also called when the database is unreachable, so that calls DBOS keeps retrying don't arrive after it is back. */
  close(): Promise<void> {
    const open = this.#opening
    this.#opening = undefined
    this.#isForgetting = false
    if (open !== undefined)
      this.#closing = this.#closing.then(async () => (await open.catch(() => undefined))?.close()).catch(() => {})
    return this.#closing
  }
}
