import { policyFor } from '../core/presets/index.ts'
import type { Control } from '../core/run.ts'
import { whyNoEffect } from '../loop/controls.ts'
import { endsStep, type StepKind } from '../loop/engine.ts'
import type { Host } from '../loop/host.ts'
import { removeFolder } from '../system/remove-folder.ts'
import { notifyWorkers } from './database/connect.ts'
import { LostRun } from './errors.ts'
import { type Finished, finish, notPushed, withdraw } from './finish.ts'
import { assertOwner, progressOf, publish, type StepChange } from './publish.ts'
import { retryRemote, retryWhileLeased } from './retry.ts'
import { type PendingControl, takeControls } from './run-controls.ts'
import { type StoredResult, toStored } from './stored-result.ts'
import type { FleetEnd } from './types.ts'
import { openWorkerWorkspace, type WorkerWorkspace, type WorkspaceOptions } from './worker-workspace.ts'

type Work<T> = (signal: AbortSignal) => Promise<T>

/** A step of the loop, with its name in the database. */
interface NamedStep {
  readonly kind: StepKind
  readonly name: string
}

/** The result of a step, and its stored form. */
export interface StepResult<T> {
  readonly result: T
  readonly stored: StoredResult
}

/**
 * A worker's right to one run for one epoch. Everything the run does here goes through it. Once it is lost, nothing more is
 * written, running processes are ended, and the folder is removed.
 */
export class RunLease {
  readonly #options: WorkspaceOptions
  readonly #lost: Promise<never>
  #lose: (why: LostRun) => void = () => {}
  #lostReason: LostRun | undefined
  #workspace: WorkerWorkspace | undefined
  #current: { readonly kind: StepKind; readonly abort: AbortController; readonly over: Promise<unknown> } | undefined
  #pending: readonly PendingControl[] = []
  readonly #taken = new Set<string>()
  #draining = false
  #finishing = false
  #givingBack = false

  constructor(options: WorkspaceOptions) {
    this.#options = options
    this.#lost = new Promise<never>((_, reject) => {
      this.#lose = reject
    })
    this.#lost.catch(() => {})
  }

  get run(): string {
    return this.#options.run
  }
  get epoch(): number {
    return this.#options.epoch
  }
  get secrets(): readonly string[] {
    return this.#options.secrets
  }
  /** Why the lease was lost; undefined while it is held. */
  get lost(): LostRun | undefined {
    return this.#lostReason
  }

  /** The result of `work`. Rejects as soon as the lease is lost, whatever `work` still waits for. */
  unlessLost<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#lost])
  }

  /** The host of the local loop, available once a step really runs here. */
  get host(): Host {
    const workspace = this.#workspace
    if (workspace === undefined) throw new Error('The workspace is not open yet')
    return workspace.host
  }

  /** Another worker has the run: the current step ends at once. */
  lose(why: LostRun): void {
    // `finish` and `giveBack` check in the database whether the run is still ours. A heartbeat may see what they committed first.
    if (this.#lostReason !== undefined || this.#finishing || this.#givingBack) return
    this.#lostReason = why
    this.#lose(why)
    this.#current?.abort.abort('now')
  }

  /** Controls from users that no step has handled yet. */
  setPending(untaken: readonly PendingControl[]): void {
    this.#pending = untaken.filter(({ id }) => !this.#taken.has(id))
    this.#interruptStep()
  }

  /** Finishes the current iteration, then gives the run back. A wait ends at once. */
  drain(): void {
    this.#draining = true
    if (this.#current?.kind === 'wait') this.#current.abort.abort('drain')
  }

  /** Runs a step and publishes what it changed. */
  async perform<T>(step: NamedStep, work: Work<T>): Promise<StepResult<T>> {
    if (this.#draining && CAN_STOP_BEFORE.has(step.kind)) throw await this.giveBack()
    if (this.#lostReason !== undefined) throw this.#lostReason
    const abort = new AbortController()
    const doing = this.#runAndPublish(step, work, abort.signal)
    // A lost step may still be ending its agent, or talking to a remote; `close` waits for that.
    const over = doing.catch(() => {})
    this.#current = { kind: step.kind, abort, over }
    this.#interruptStep()
    const done = await this.unlessLost(doing)
    this.#current = undefined
    return done
  }

  /** Takes pending controls for this step, so that no other step handles them. */
  async take(name: string): Promise<readonly Control[]> {
    const rows = await takeControls(this.#options, name)
    for (const { id } of rows) this.#taken.add(id)
    this.#pending = this.#pending.filter(({ id }) => !this.#taken.has(id))
    return rows.map(({ kind, by, reason }) => ({ kind, by, reason }))
  }

  /** Ends the run: pushes its branch and releases the tasks that wait for it. */
  async finish(end: Finished): Promise<FleetEnd> {
    if (this.#lostReason !== undefined) throw this.#lostReason
    this.#finishing = true
    try {
      if (end.pushes) this.#workspace ??= await openWorkerWorkspace(this.#options, new AbortController().signal)
    } catch (error) {
      if (error instanceof LostRun) throw error
      // Problems with the clone don't change how the run ended.
      return finish(this.#options, undefined, { ...end, reason: `${end.reason}; ${notPushed(error)}` })
    }
    return finish(this.#options, this.#workspace?.workspace, end)
  }

  /** From now on any worker may take the run. */
  async giveBack(): Promise<LostRun> {
    const { database, lease, run } = this.#options
    const free = (): Promise<void> =>
      database.transaction(async (query) => {
        await assertOwner(query, this.#options)
        await query("UPDATE exitgate.runs SET standing = 'queued', worker = NULL WHERE id = $1", [run])
        await notifyWorkers(query)
      })
    this.#givingBack = true
    try {
      await retryWhileLeased(lease, free)
    } catch (error) {
      this.#givingBack = false
      if (error instanceof LostRun) this.lose(error)
      throw error
    }
    this.#givingBack = false
    const givenBack = new LostRun(GIVEN_BACK)
    this.lose(givenBack)
    return givenBack
  }

  /** Removes everything of the run from this machine. */
  async close(): Promise<void> {
    this.#lostReason ??= new LostRun('the run is over')
    this.#current?.abort.abort('now')
    await this.#current?.over
    await this.#workspace?.close()
    await removeFolder(this.#options.folder)
  }

  async #runAndPublish<T>(step: NamedStep, work: Work<T>, signal: AbortSignal): Promise<StepResult<T>> {
    this.#workspace ??= await openWorkerWorkspace(this.#options, signal)
    const workspace = this.#workspace
    const result = await workspace.tagged(() => work(signal))
    if (this.#lostReason !== undefined) throw this.#lostReason
    if (this.#draining && step.kind === 'wait') throw await this.giveBack()
    return { result, stored: await this.#publish(workspace, step, result) }
  }

  async #publish(workspace: WorkerWorkspace, { kind, name }: NamedStep, result: unknown): Promise<StoredResult> {
    const { database, lease } = this.#options
    const agent = kind === 'agent'
    // Same as the local engine, so the journals of fleet runs and local runs look the same.
    if (agent) workspace.tagged(() => workspace.host.memory.keep(name, result))
    const { host } = workspace
    const mayChangeWork = agent || (kind === 'begin' && workspace.changed)
    const work = mayChangeWork
      ? await retryRemote(
          () => workspace.publishWork(),
          () => this.#lostReason === undefined,
        )
      : undefined
    const mayChangePlan = kind === 'begin' || kind === 'evidence'
    const plan = mayChangePlan ? workspace.plan() : undefined
    const newLines = workspace.tail.newLines(host.state)
    const files = await workspace.files()
    const stored = toStored(kind, result, host.state)
    if (newLines.lines.length + files.files.length + files.removed.length === 0 && !mayChangeWork && !mayChangePlan)
      return stored
    const change: StepChange = {
      step: name,
      stored,
      seq: host.state.seq,
      iterations: host.state.iterations,
      standing: progressOf(host.state),
      lines: newLines.lines,
      files: files.files,
      removed: files.removed,
      ...(work === undefined ? {} : { work }),
      ...(plan === undefined ? {} : { plan }),
      ...(kind === 'begin' ? { pinned: workspace.pinned } : {}),
    }
    try {
      await retryWhileLeased(lease, () => database.transaction((query) => publish(query, this.#options, change)))
    } catch (error) {
      if (work !== undefined) await withdraw(this.#options, work.ref)
      throw error
    }
    newLines.markPublished()
    workspace.markFilesPublished(files.seen)
    return stored
  }

  /** Interrupts the current step if a pending control requires it, by the same rule as the local engine. */
  #interruptStep(): void {
    const current = this.#current
    if (current === undefined) return
    const state = this.#workspace?.host.state
    for (const control of this.#pending) {
      const idle = state?.config !== undefined && whyNoEffect(control, state, policyFor(state.config)) !== undefined
      if (!idle && endsStep(control, current.kind, false)) current.abort.abort(control.kind)
    }
  }
}

export const GIVEN_BACK = 'given back'

/** Between two iterations another worker can continue without losing anything. */
const CAN_STOP_BEFORE: ReadonlySet<StepKind> = new Set(['begin', 'ready', 'wait'])
