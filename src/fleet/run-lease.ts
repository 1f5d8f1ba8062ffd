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
import { type StoredResult, toStored } from './stored-result.ts'
import type { FleetEnd } from './types.ts'
import { openWorkerWorkspace, type WorkerWorkspace, type WorkspaceOptions } from './worker-workspace.ts'

/** A control with its id in the database. */
export type PendingControl = Control & { readonly id: string }

type Work<T> = (signal: AbortSignal) => Promise<T>

/** A step of the loop, with the name under which it is kept. */
interface NamedStep {
  readonly kind: StepKind
  readonly name: string
}

/** The result of a step, and the form in which it is stored. */
export interface Done<T> {
  readonly result: T
  readonly kept: StoredResult
}

/**
 * A worker's right to one run, for one epoch. Everything the run does here goes through it. Once it is lost, nothing more is
 * written, everything that still runs is ended, and the folder is removed.
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

  /** The result of `work`; as soon as the lease is lost, a rejection, whatever `work` still waits for. */
  unlessLost<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#lost])
  }

  /** The host of the local loop, available as soon as a step really runs here. */
  get host(): Host {
    const workspace = this.#workspace
    if (workspace === undefined) throw new Error('a step begins with its workspace')
    return workspace.host
  }

  /** Another worker has the run: the current step ends at once. */
  lose(why: LostRun): void {
    // `finish` checks in the database whether the run is still ours; afterwards no worker owns it.
    if (this.#lostReason !== undefined || this.#finishing) return
    this.#lostReason = why
    this.#lose(why)
    this.#current?.abort.abort('now')
  }

  /** What users asked for and no step has taken yet. */
  setPending(untaken: readonly PendingControl[]): void {
    this.#pending = untaken.filter(({ id }) => !this.#taken.has(id))
    this.#interruptStep()
  }

  /** The current iteration is finished, then the run is given back. A wait ends at once. */
  drain(): void {
    this.#draining = true
    if (this.#current?.kind === 'wait') this.#current.abort.abort('drain')
  }

  /** Runs a step and publishes what it changed. */
  async perform<T>(step: NamedStep, work: Work<T>): Promise<Done<T>> {
    if (this.#draining && PAUSES_BEFORE.has(step.kind)) throw await this.giveBack()
    if (this.#lostReason !== undefined) throw this.#lostReason
    const abort = new AbortController()
    const doing = this.#doing(step, work, abort.signal)
    // A lost step may still be ending its agent, or talking to a remote; `close` waits for that.
    const over = doing.then(
      () => {},
      () => {},
    )
    this.#current = { kind: step.kind, abort, over }
    this.#interruptStep()
    const done = await this.unlessLost(doing)
    this.#current = undefined
    return done
  }

  /** What users asked for, taken by this step and by no other. */
  async take(name: string): Promise<readonly Control[]> {
    const { database, lease, run } = this.#options
    const rows = await retryWhileLeased(lease, async () => {
      const some = await database.query(
        'SELECT 1 FROM exitgate.controls WHERE run = $1 AND (taken IS NULL OR taken = $2) LIMIT 1',
        [run, name],
      )
      return some.length === 0 ? [] : database.transaction((query) => this.#takeRows(query, name))
    })
    for (const { id } of rows) this.#taken.add(id)
    this.#pending = []
    return rows.map(({ kind, by, reason }) => ({ kind, by, reason }))
  }

  /** The run is over: its branch is pushed, and the tasks that waited for it are released. */
  async finish(end: Finished): Promise<FleetEnd> {
    if (this.#lostReason !== undefined) throw this.#lostReason
    this.#finishing = true
    try {
      if (end.pushes) this.#workspace ??= await openWorkerWorkspace(this.#options, new AbortController().signal)
    } catch (error) {
      if (error instanceof LostRun) throw error
      // Whatever is wrong with the clone, the run has ended as it has.
      return finish(this.#options, undefined, { ...end, reason: `${end.reason}; ${notPushed(error)}` })
    }
    return finish(this.#options, this.#workspace?.workspace, end)
  }

  /** From now on any worker may take the run. */
  async giveBack(): Promise<LostRun> {
    const { database, lease, run } = this.#options
    await retryWhileLeased(lease, () =>
      database.transaction(async (query) => {
        await assertOwner(query, this.#options)
        await query("UPDATE exitgate.runs SET standing = 'queued', worker = NULL WHERE id = $1", [run])
        await notifyWorkers(query)
      }),
    )
    this.#lostReason = new LostRun(GIVEN_BACK)
    return this.#lostReason
  }

  /** Nothing of the run is left here afterwards. */
  async close(): Promise<void> {
    this.#lostReason ??= new LostRun('it is over')
    this.#current?.abort.abort('now')
    await this.#current?.over
    this.#workspace?.close()
    await removeFolder(this.#options.folder)
  }

  async #doing<T>(step: NamedStep, work: Work<T>, signal: AbortSignal): Promise<Done<T>> {
    this.#workspace ??= await openWorkerWorkspace(this.#options, signal)
    const workspace = this.#workspace
    const result = await workspace.marked(() => work(signal))
    if (this.#lostReason !== undefined) throw this.#lostReason
    if (this.#draining && step.kind === 'wait') throw await this.giveBack()
    return { result, kept: await this.#publish(workspace, step, result) }
  }

  async #publish(workspace: WorkerWorkspace, { kind, name }: NamedStep, result: unknown): Promise<StoredResult> {
    const { database, lease } = this.#options
    const agent = kind === 'agent'
    // As the local engine does: the journal of a fleet's run is the one of a local run.
    if (agent) workspace.marked(() => workspace.host.memory.keep(name, result))
    const { host } = workspace
    const moved = agent || (kind === 'begin' && workspace.changed)
    const work = moved
      ? await retryRemote(
          () => workspace.publishWork(),
          () => this.#lostReason === undefined,
        )
      : undefined
    const looked = kind === 'begin' || kind === 'evidence'
    const plan = looked ? workspace.plan() : undefined
    const news = workspace.tail.news(host.state)
    const files = await workspace.files()
    const kept = toStored(kind, result, host.state)
    if (news.lines.length + files.files.length + files.gone.length === 0 && !moved && !looked) return kept
    const change: StepChange = {
      step: name,
      kept,
      seq: host.state.seq,
      iterations: host.state.iterations,
      standing: progressOf(host.state),
      lines: news.lines,
      files: files.files,
      gone: files.gone,
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
    news.taken()
    workspace.filesTaken(files.seen)
    return kept
  }

  async #takeRows(query: Parameters<typeof assertOwner>[0], name: string): Promise<readonly PendingControl[]> {
    await assertOwner(query, this.#options)
    const rows = await query<{ id: string; kind: Control['kind']; by: string; reason: string }>(
      `UPDATE exitgate.controls SET taken = $2 WHERE run = $1 AND (taken IS NULL OR taken = $2) RETURNING id, kind, by, reason`,
      [this.run, name],
    )
    return [...rows].sort((one, two) => Number(one.id) - Number(two.id))
  }

  /** Interrupts the current step where a pending control asks for it, by the rule of the local engine. */
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

export const GIVEN_BACK = 'it was given back'

/** Between two iterations nothing is lost when another worker continues. */
const PAUSES_BEFORE: ReadonlySet<StepKind> = new Set(['begin', 'ready', 'wait'])
