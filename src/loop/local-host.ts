import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { unenforced } from '../../packages/exitgate/src/agents/limit-warnings.ts'
import type { Loaded } from '../config/load.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import type { DecidedIteration } from '../core/policy/decide.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Evidence, EvidenceSet, Observation, Verdict } from '../core/types.ts'
import { removeCaches } from '../evidence/clean-room/build-caches.ts'
import { removeRooms } from '../evidence/clean-room/room-places.ts'
import { gather } from '../evidence/gather.ts'
import { decideAndRecord } from '../journal/decide-and-record.ts'
import { type Journal, openJournal } from '../journal/log.ts'
import { writeReadableCopy } from '../journal/readable-copy.ts'
import { awake } from '../system/awake-clock.ts'
import { pruneTranscripts } from './agent/transcript-store.ts'
import { checkpointIteration } from './checkpoint.ts'
import { clearLeftovers, markProcesses } from './clear-leftovers.ts'
import { critical } from './critical.ts'
import type { Memory } from './engine-local.ts'
import { gatherOptions, planText } from './gather-options.ts'
import type { AgentStart, AskFailing, EvidenceCall, GatheredEvidence, Host, Ready } from './host.ts'
import { LiveEvents } from './live-events.ts'
import { prepareNewRun } from './new-run.ts'
import { openingOfLoop } from './opening-of-loop.ts'
import { askShared } from './preconditions.ts'
import { keepVerified } from './reference.ts'
import { endOfReplaced, watchWorkspace } from './replaced-workspace.ts'
import { sandboxFor } from './sandbox.ts'
import { reportShared, type SharedLimits, type Start, spentOn } from './shared-limits.ts'
import { type ConfiguredAgent, startAgent } from './start-agent.ts'
import { configForTask, taskForIteration } from './tasks.ts'
import { writeCompat, writeCompatEnd } from './write-compat.ts'

export interface LocalOptions {
  readonly workspace: string
  /** The folder of this workspace's journal. */
  readonly dir: string
  readonly loaded: Loaded
  readonly resume: boolean
  readonly allowRemote?: boolean
  readonly task?: string
  /** The user's own prompt. */
  readonly prompt: string
  readonly agent: ConfiguredAgent
  readonly env: Readonly<Record<string, string | undefined>>
  now(): number
  emit(event: LoopEvent): void
  readonly menu?: NonNullable<Host['menu']>
  readonly askFailing?: AskFailing
  readonly shared?: SharedLimits
  /** The run has its name. The baseline comes next, which may take long. */
  readonly onOpening?: (run: string, startedAt: number) => void
  /** Settles when the run can be controlled. No agent starts before. */
  readonly controllable?: () => Promise<unknown> | undefined
  /** For a run resumed from another machine: the plan as it was when last read. */
  readonly previousPlan?: string
  /** Removes from the baseline what must not leave this machine. */
  readonly hide?: (evidence: EvidenceSet) => EvidenceSet
}

/** Timers stop while a laptop sleeps, so the clock is read again this often. */
const READ_CLOCK_MS = 5_000

/** The loop on one machine: a journal, a workspace, processes. */
export class LocalHost implements Host {
  readonly emit: Host['emit']
  readonly memory: Memory
  readonly menu?: NonNullable<Host['menu']>
  readonly #options: LocalOptions
  readonly #journal: Journal
  readonly #unmark: () => void
  readonly #replaced: () => Evidence | undefined
  readonly #live: LiveEvents
  #previousPlan: string | undefined
  #said: string | undefined

  constructor(options: LocalOptions) {
    this.#options = options
    this.emit = options.emit
    this.#live = new LiveEvents(options)
    this.#journal = openJournal(options.dir, { waitMs: 0, command: 'run', checkAll: true })
    this.#previousPlan = options.previousPlan
    this.#unmark = markProcesses(options.dir)
    this.#replaced = watchWorkspace(options.workspace)
    if (options.menu !== undefined) this.menu = options.menu
    this.memory = {
      kept: (name) => this.state.steps?.[name],
      keep: (name, result) => void this.#journal.append([{ type: 'step.done', name, result }], options.now()),
    }
  }

  get state(): State {
    return this.#journal.state
  }

  async begin(signal: AbortSignal): ReturnType<Host['begin']> {
    const { workspace, dir, now, agent, env } = this.#options
    this.#live.warn(this.#journal.problems)
    this.#live.warn(await clearLeftovers(dir, this.state))
    const before = this.state
    // A killed process may have recorded something without writing the readable copy.
    if (before.run !== undefined) writeReadableCopy(workspace, before)
    const opened = openingOfLoop(before, this.#options, now())
    const { fresh, policy } = opened
    const { shown: sandbox } = sandboxFor(opened.config, { workspace, stateDir: dir, env })
    this.#live.warn(opened.warnings)
    const named = opened.first.find((event) => event.type === 'run.started')
    this.#options.onOpening?.(named?.run ?? before.run ?? '', fresh ? now() : (before.startedAt ?? now()))
    const gather = { ...this.#gatherOptions(opened.config), ...(named && { run: named.run }) }
    const about = { before, sandbox, gather, warn: (texts: readonly string[]) => this.#live.warn(texts) }
    const begun = fresh
      ? await prepareNewRun(opened, { ...this.#options, ...about }, signal)
      : { config: opened.config, events: opened.first }
    if (begun === undefined || 'end' in begun) return begun
    const { config, events } = begun
    this.#journal.append(events, now())
    writeReadableCopy(workspace, this.state)
    void pruneTranscripts(join(dir, 'transcripts'), config.run.keepRuns)
    const { phases, weaker } = policy
    const more = { ...(phases && { phases }), ...(sandbox !== undefined && { sandbox }), weaker, resumed: !fresh }
    const { run = '' } = this.state
    const shown = { run, preset: config.preset, workspace, command: agent.shown, iterations: before.iterations }
    this.emit({ type: 'started', ...shown, ...more, config, at: now() })
    this.#previousPlan = planText(workspace, config)
    return { state: this.state }
  }

  async ready(state: State, start?: Start): Promise<Ready> {
    const { now, loaded, shared } = this.#options
    const base = state.base ?? state.config
    const at = now()
    const workspaceProblem = this.#replaced()?.detail
    if (base === undefined || workspaceProblem) return { at, ...(workspaceProblem && { workspaceProblem }) }
    const { task, plan, items, problems } = taskForIteration(this.#options, base, state)
    this.#live.warnOnce(problems)
    this.#live.plan(plan?.path, items)
    const config = configForTask(base, task, loaded.sources)
    const other = JSON.stringify(config) !== JSON.stringify(state.config)
    const answer = await askShared(shared, state, policyFor(config), start, at)
    return { at, ...(task && { task }), ...(plan && { plan }), ...(other ? { config } : {}), ...answer }
  }

  async record(events: readonly EventInput[]): Promise<State> {
    const recorded = await critical(() => this.#journal.append(events, this.#options.now()))
    this.emit({ type: 'recorded', events: recorded })
    await critical(() => this.#copyEnd(events))
    return this.state
  }

  async agent(call: AgentStart, signal: AbortSignal) {
    const { workspace, dir, now, env, agent, shared } = this.#options
    const [{ iteration, attempt }, { state }] = [call, this]
    const working = state.fallback === undefined ? agent : (agent.fallback ?? agent)
    await this.#options.controllable?.()
    const { process, transcript } = await startAgent(working, {
      ...call,
      run: state.run ?? '',
      ...{ workspace, dir, state, env },
      now: now(),
      onStart: (mark) => void this.#journal.append([{ type: 'agent.started', iteration, attempt, ...mark }], now()),
      ...this.#live.agentHooks,
      warn: (texts) => this.#live.warn(texts),
      signal,
    })
    this.#said = transcript.final
    this.#live.warn(process.problems)
    this.#live.warnOnce(unenforced(process, state.config?.limits ?? {}))
    await reportShared(shared, state, spentOn(process, state))
    return { process, transcript, at: now() }
  }

  async gatherEvidence({ claim, task, skipped }: EvidenceCall, signal: AbortSignal): Promise<GatheredEvidence> {
    const { workspace, now, loaded } = this.#options
    const { config = loaded.config, baselineId, slowest, accepted } = this.state
    const started = awake.now()
    this.emit({ type: 'evidence', iteration: this.state.iterations + 1, at: now() })
    const replaced = this.#replaced()
    if (replaced !== undefined) return { evidence: { [replaced.check]: replaced }, problems: [], ms: 0 }
    const changes = this.#live.changes(this.state)
    const { evidence, problems } = await gather({
      ...{ ...this.#gatherOptions(config), claim, quick: true, signal, skipped, slowest, accepted, changes },
      ...(task === undefined ? {} : { task }),
      ...{ baselineId, previousPlan: this.#previousPlan },
    })
    this.#previousPlan = planText(workspace, config)
    if (!signal.aborted) this.#live.warn(problems)
    return { evidence, problems, ms: Math.round(awake.now() - started) }
  }

  async decideAndRecord(observation: Observation): Promise<{ readonly verdict: Verdict; readonly state: State }> {
    const { workspace, dir, now, shared } = this.#options
    const before = this.state
    const { config } = before
    if (config === undefined) throw new Error('a run has a configuration')
    // The checkpoint is recorded together with the decision, so that a kill can't separate them.
    const warn = (text: string) => this.#live.warnOnce([text])
    const { verdict, transitions, facts, kept } = await critical(async () => {
      const kept = config.run.checkpoint ? await checkpointIteration(workspace, before, config, warn) : undefined
      const more: readonly EventInput[] = kept
        ? [{ type: 'checkpoint', iteration: before.iterations + 1, ...kept }]
        : []
      const eventsAfter = (decided: DecidedIteration) => [...more, ...endOfReplaced(decided, this.#replaced)]
      const options = { policy: policyFor(config), now: now(), eventsAfter }
      return { ...decideAndRecord(this.#journal, observation, options), kept }
    })
    await reportShared(shared, before, observation.spent)
    const judged = { verdict, evidence: observation.evidence }
    const place = { workspace, stateDir: dir, config, said: this.#said, run: this.state.run }
    this.#live.warn(await keepVerified(place, this.#journal, judged, now()))
    const { state } = this
    const { at, iteration, phase } = facts
    const { task } = observation
    const about = { ...(phase === undefined ? {} : { phase }), ...(task === undefined ? {} : { task }) }
    this.emit({ type: 'decided', iteration, ...about, verdict, observation, transitions, state, at })
    this.#live.warnOnce(await critical(() => writeReadableCopy(workspace, state)))
    if (config.files)
      this.#live.warnOnce(
        await critical(() => writeCompat(workspace, { config, state, observation, verdict, transitions, at })),
      )
    if (kept !== undefined) this.emit({ type: 'checkpoint', ...kept, at: now() })
    return { verdict, state: this.state }
  }

  async wait(until = Number.POSITIVE_INFINITY, signal: AbortSignal): Promise<number> {
    const { now } = this.#options
    while (!signal.aborted && now() < until)
      await setTimeout(Math.min(Math.max(until - now(), 1), READ_CLOCK_MS), undefined, { signal }).catch(() => {})
    return now()
  }

  /** Appends the last events when there is no time for another step. */
  append(events: readonly EventInput[]): void {
    this.#journal.append(events, this.#options.now())
    this.#copyEnd(events)
  }

  /** After a second Ctrl+C nothing waits for it: removing many files takes seconds, and the next command does it too. */
  async close(): Promise<void> {
    this.#unmark()
    if (this.state.ended !== undefined) removeCaches(this.#options.dir)
    this.#journal.close()
    await removeRooms(this.#options.dir)
  }

  /** After an end that no iteration decided, the copies must show that the run has ended. */
  #copyEnd(events: readonly EventInput[]): void {
    if (!events.some(({ type }) => type === 'run.ended')) return
    const { workspace } = this.#options
    this.#live.warnOnce([...writeReadableCopy(workspace, this.state), ...writeCompatEnd(workspace, this.state)])
  }

  #gatherOptions(config: Config): ReturnType<typeof gatherOptions> {
    const { workspace, dir, prompt, task, now } = this.#options
    const { phase } = this.state.counters
    const spoken = { said: this.#said, run: this.state.run }
    const about = { workspace, stateDir: dir, config, prompt, task, phase, at: now(), ...spoken }
    return { ...gatherOptions(about), onCommand: this.#live.onCommand, keepRooms: true, isRun: true }
  }
}
