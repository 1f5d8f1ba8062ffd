import type { State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Control } from '../core/run.ts'
import { futile } from '../loop/controls.ts'
import { endsStep, type StepKind } from '../loop/engine.ts'
import type { Host } from '../loop/host.ts'
import { removeFolder } from '../system/remove-folder.ts'
import { LostRun } from './errors.ts'
import { type Finished, finish, notPushed } from './finish.ts'
import { type Kept, keep } from './kept.ts'
import { assertOurs, type Change, publish, type Standing } from './publish.ts'
import { patiently } from './retry-transient.ts'
import { persistently } from './retry-until-lease-lost.ts'
import type { FleetEnd } from './types.ts'
import { type BenchOptions, openBench, type WorkerWorkspace } from './worker-workspace.ts'

/** A control with its number in the database. */
export type Asked = Control & { readonly id: string }

type Work<T> = (signal: AbortSignal) => Promise<T>

/** A step of the loop, with the name under which it is kept. */
interface NamedStep {
  readonly kind: StepKind
  readonly name: string
}

/** So much of a step's result: as it is, and as it is kept. */
export interface Done<T> {
  readonly result: T
  readonly kept: Kept
}

/**
 * A worker's seat at one run, for one epoch. Everything that the run does here goes through it; once it is lost nothing is written any
 * more, whatever still runs is ended, and the folder is dropped.
 */
export class RunLease {
  readonly #options: BenchOptions
  readonly #lost: Promise<never>
  #lose: (why: LostRun) => void = () => {}
  #why: LostRun | undefined
  #bench: WorkerWorkspace | undefined
  #current: { readonly kind: StepKind; readonly abort: AbortController; readonly over: Promise<unknown> } | undefined
  #untaken: readonly Asked[] = []
  readonly #taken = new Set<string>()
  #draining = false
  #finishing = false

  constructor(options: BenchOptions) {
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
  /** Why it is lost; undefined as long as it is not. */
  get lost(): LostRun | undefined {
    return this.#why
  }

  /** The host of the local loop; there is one as soon as a step is really done here. */
  get host(): Host {
    const bench = this.#bench
    if (bench === undefined) throw new Error('a step begins with its bench')
    return bench.host
  }

  /** Somebody else has the run: what is under way ends at once. */
  lose(why: LostRun): void {
    // Who finishes a run finds out at the door whether it is still its own; afterwards it is nobody's.
    if (this.#why !== undefined || this.#finishing) return
    this.#why = why
    this.#lose(why)
    this.#current?.abort.abort('now')
  }

  /** Whatever people asked for and no step has taken yet. */
  hear(untaken: readonly Asked[]): void {
    this.#untaken = untaken.filter(({ id }) => !this.#taken.has(id))
    this.#heed()
  }

  /** The iteration at hand is finished; then the run is given back. A wait is no work. */
  drain(): void {
    this.#draining = true
    if (this.#current?.kind === 'wait') this.#current.abort.abort('drain')
  }

  /** Does a step, and publishes what it changed. */
  async perform<T>(step: NamedStep, work: Work<T>): Promise<Done<T>> {
    if (this.#draining && PAUSES_BEFORE.has(step.kind)) await this.#giveBack()
    if (this.#why !== undefined) throw this.#why
    const abort = new AbortController()
    const doing = this.#doing(step, work, abort.signal)
    // A lost step may still be ending its agent, or talking to a remote; `close` waits for that.
    const over = doing.then(
      () => {},
      () => {},
    )
    this.#current = { kind: step.kind, abort, over }
    this.#heed()
    const done = await Promise.race([doing, this.#lost])
    this.#current = undefined
    return done
  }

  /** What people asked for, taken by this step and by no other. */
  async take(name: string): Promise<readonly Control[]> {
    const { database, lease, run } = this.#options
    const rows = await patiently(lease, async () => {
      const some = await database.query(
        'SELECT 1 FROM exitgate.controls WHERE run = $1 AND (taken IS NULL OR taken = $2) LIMIT 1',
        [run, name],
      )
      return some.length === 0 ? [] : database.transaction((query) => this.#takeRows(query, name))
    })
    for (const { id } of rows) this.#taken.add(id)
    this.#untaken = []
    return rows.map(({ kind, by, reason }) => ({ kind, by, reason }))
  }

  /** The run is over: its branch is pushed, and whoever waited for it hears of it. */
  async finish(end: Finished): Promise<FleetEnd> {
    if (this.#why !== undefined) throw this.#why
    this.#finishing = true
    try {
      if (end.pushes) this.#bench ??= await openBench(this.#options, new AbortController().signal)
    } catch (error) {
      if (error instanceof LostRun) throw error
      // Whatever is wrong with the clone, the run has ended as it has.
      return finish(this.#options, undefined, { ...end, reason: `${end.reason}; ${notPushed(error)}` })
    }
    return finish(this.#options, this.#bench?.workspace, end)
  }

  /** Nothing of the run is left here afterwards. */
  async close(): Promise<void> {
    this.#why ??= new LostRun('it is over')
    this.#current?.abort.abort('now')
    await this.#current?.over
    this.#bench?.close()
    await removeFolder(this.#options.folder)
  }

  async #doing<T>(step: NamedStep, work: Work<T>, signal: AbortSignal): Promise<Done<T>> {
    this.#bench ??= await openBench(this.#options, signal)
    const bench = this.#bench
    const result = await bench.marked(() => work(signal))
    if (this.#why !== undefined) throw this.#why
    if (this.#draining && step.kind === 'wait') await this.#giveBack()
    return { result, kept: await this.#publish(bench, step, result) }
  }

  async #publish(bench: WorkerWorkspace, { kind, name }: NamedStep, result: unknown): Promise<Kept> {
    const { database, lease } = this.#options
    const agent = kind === 'agent'
    // As the local engine does: the journal of a fleet's run is the one of a local run.
    if (agent) bench.marked(() => bench.host.memory.keep(name, result))
    const { host } = bench
    const moved = agent || (kind === 'begin' && bench.changed)
    const work = moved
      ? await persistently(
          () => bench.publishWork(),
          () => this.#why === undefined,
        )
      : undefined
    const looked = kind === 'begin' || kind === 'evidence'
    const plan = looked ? bench.plan() : undefined
    const news = bench.tail.news(host.state)
    const files = await bench.files()
    const kept = keep(kind, result, host.state)
    if (news.lines.length + files.files.length + files.gone.length === 0 && !moved && !looked) return kept
    const change: Change = {
      step: name,
      kept,
      seq: host.state.seq,
      iterations: host.state.iterations,
      standing: standingOf(host.state),
      lines: news.lines,
      files: files.files,
      gone: files.gone,
      ...(work === undefined ? {} : { work }),
      ...(plan === undefined ? {} : { plan }),
      ...(kind === 'begin' ? { pinned: bench.pinned } : {}),
    }
    await patiently(lease, () => database.transaction((query) => publish(query, this.#options, change)))
    news.taken()
    bench.filesTaken(files.seen)
    return kept
  }

  async #takeRows(query: Parameters<typeof assertOurs>[0], name: string): Promise<readonly Asked[]> {
    await assertOurs(query, this.#options)
    const rows = await query<{ id: string; kind: Control['kind']; by: string; reason: string }>(
      `UPDATE exitgate.controls SET taken = $2 WHERE run = $1 AND (taken IS NULL OR taken = $2) RETURNING id, kind, by, reason`,
      [this.run, name],
    )
    return [...rows].sort((one, two) => Number(one.id) - Number(two.id))
  }

  /** The step at hand is told what concerns it, by the rule of the local engine. */
  #heed(): void {
    const current = this.#current
    if (current === undefined) return
    const state = this.#bench?.host.state
    for (const control of this.#untaken) {
      const idle = state?.config !== undefined && futile(control, state, policyFor(state.config)) !== undefined
      if (!idle && endsStep(control, current.kind, false)) current.abort.abort(control.kind)
    }
  }

  async #giveBack(): Promise<never> {
    const { database, lease, run } = this.#options
    await patiently(lease, () =>
      database.transaction(async (query) => {
        await assertOurs(query, this.#options)
        await query("UPDATE exitgate.runs SET standing = 'queued', worker = NULL WHERE id = $1", [run])
      }),
    )
    const why = new LostRun(GIVEN_BACK)
    this.#why = why
    throw why
  }
}

function standingOf({ counters, last }: State): Standing {
  const { usd, tokens } = counters.total
  if (last === undefined) return { usd, tokens }
  const { gate, missing } = last.verdict
  return { usd, tokens, verdict: { gate, ...(missing[0] === undefined ? {} : { missing: missing[0] }) } }
}

export const GIVEN_BACK = 'it was given back'

/** Between two iterations nothing is lost when another worker goes on. */
const PAUSES_BEFORE: ReadonlySet<StepKind> = new Set(['begin', 'ready', 'wait'])
