import { join } from 'node:path'
import type { Loaded } from '../config/load.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { LoopEvent } from '../core/run.ts'
import type { EvidenceSet, Observation } from '../core/types.ts'
import { gather, gatherBaseline } from '../evidence/gather.ts'
import { decideAndRecord } from '../journal/decide-and-record.ts'
import { openJournal } from '../journal/log.ts'
import { writeReadableCopy } from '../journal/readable-copy.ts'
import { pruneTranscripts } from './agent/transcript-store.ts'
import { checkpoint } from './checkpoint.ts'
import { critical } from './critical.ts'
import type { Memory } from './engine-local.ts'
import { gatherOptions, ownPaths, planText } from './gather-options.ts'
import type { AgentStart, EvidenceCall, GatheredEvidence, Host, Ready } from './host.ts'
import { unpriced } from './limits/budget.ts'
import { openingOfLoop, withBaseline } from './opening.ts'
import { askShared } from './preconditions.ts'
import { watchWorkspace } from './replaced-workspace.ts'
import { type SharedLimits, spentOn, tellShared } from './shared-limits.ts'
import { sleepUntil } from './sleep.ts'
import { type ConfiguredAgent, startAgent } from './start-agent.ts'
import { markOurs, takeOver } from './take-over.ts'
import { configForTask, taskAtHand } from './tasks.ts'
import { writeCompat, writeCompatEnd } from './write-compat.ts'

export interface LocalOptions {
  readonly workspace: string
  /** Where this workspace's journal lies. */
  readonly dir: string
  readonly loaded: Loaded
  readonly resume: boolean
  readonly task?: string
  /** What the user wrote for the agent: together with task and plan it says what the work is. */
  readonly prompt: string
  readonly agent: ConfiguredAgent
  readonly env: Readonly<Record<string, string | undefined>>
  now(): number
  emit(event: LoopEvent): void
  readonly menu?: NonNullable<Host['menu']>
  /** What this run may use together with others. */
  readonly shared?: SharedLimits
  /** For a run that goes on from elsewhere: the plan as it was when it was last looked at. */
  readonly previousPlan?: string
  /** Takes out of the baseline what must not leave this machine. */
  readonly hide?: (evidence: EvidenceSet) => EvidenceSet
}

export interface LocalHost extends Host {
  readonly memory: Memory
  readonly state: State
  /** The journal's last word when there is no time for another. */
  append(events: readonly EventInput[]): void
  close(): void
}

/** The loop on one machine: a journal, a workspace, processes. */
export function openLocalHost(options: LocalOptions): LocalHost {
  const { workspace, dir, now, emit } = options
  const journal = openJournal(dir, { waitMs: 0 })
  const warn = (texts: readonly string[]): void => {
    for (const text of texts) emit({ type: 'warning', text, at: now() })
  }
  let { previousPlan } = options
  const said = new Set<string>()
  const unmark = markOurs(dir)
  const exchanged = watchWorkspace(workspace)
  const news = (texts: readonly string[]) => texts.filter((each) => !said.has(each) && said.add(each))

  return {
    emit,
    memory: {
      kept: (name) => journal.state.steps?.[name],
      keep: (name, result) => void journal.append([{ type: 'step.done', name, result }], now()),
    },
    get state() {
      return journal.state
    },
    append(events) {
      journal.append(events, now())
      warn(copiesOfEnd(events))
    },
    close() {
      unmark()
      journal.close()
    },

    async begin(signal) {
      warn(journal.problems)
      warn(await takeOver(dir, journal.state))
      const before = journal.state
      const { first, fresh, warnings, config, policy } = openingOfLoop(before, options, now())
      warn(warnings)
      let events = first
      if (fresh) {
        emit({ type: 'baseline', done: false, at: now() })
        const taken = await gatherBaseline({ ...place(config), claim: false, signal })
        if (signal.aborted) return undefined
        warn(taken.problems)
        const evidence = options.hide?.(taken.evidence) ?? taken.evidence
        events = withBaseline(first, evidence, taken.baselineId)
        emit({ type: 'baseline', done: true, evidence, at: now() })
      }
      journal.append(events, now())
      void pruneTranscripts(join(dir, 'transcripts'), config.run.keepRuns)
      const { run = '' } = journal.state
      const phases = policy.phases === undefined ? {} : { phases: policy.phases }
      const where = {
        run,
        preset: config.preset,
        workspace,
        command: options.agent.shown,
        iterations: before.iterations,
      }
      emit({ type: 'started', ...where, resumed: !fresh, config, weaker: policy.weaker, ...phases, at: now() })
      previousPlan = planText(workspace, config)
      return { state: journal.state }
    },

    async ready(state, start): Promise<Ready> {
      const base = state.base ?? state.config
      if (base === undefined) return { at: now() }
      const at = now()
      const { task, problems } = taskAtHand(options, base, state)
      warn(news(problems))
      const config = configForTask(base, task, options.loaded.sources)
      const other = JSON.stringify(config) !== JSON.stringify(state.config)
      const shared = await askShared(options.shared, state, policyFor(config), start, at)
      return { at, ...(task === undefined ? {} : { task }), ...(other ? { config } : {}), ...shared }
    },

    async record(events): Promise<State> {
      const recorded = await critical(() => journal.append(events, now()))
      emit({ type: 'recorded', events: recorded })
      warn(await critical(() => copiesOfEnd(events)))
      return journal.state
    },

    async agent(call: AgentStart, signal) {
      const { state } = journal
      const { process, transcript } = await startAgent(options.agent, {
        ...call,
        run: state.run ?? '',
        workspace,
        dir,
        state,
        env: options.env,
        now: now(),
        onStart: (mark) =>
          void journal.append(
            [{ type: 'agent.started', iteration: call.iteration, attempt: call.attempt, ...mark }],
            now(),
          ),
        onText: (text) => emit({ type: 'output', text }),
        warn,
        signal,
      })
      warn(process.problems)
      warn(news(unpriced(process, state.config?.limits ?? {})))
      await tellShared(options.shared, state, spentOn(process, state))
      return { process, transcript, at: now() }
    },

    async gatherEvidence({ claim, task, skipped }: EvidenceCall, signal): Promise<GatheredEvidence> {
      const { config, baselineId, iterations } = journal.state
      const started = performance.now()
      emit({ type: 'evidence', iteration: iterations + 1, at: now() })
      const elsewhere = exchanged()
      if (elsewhere !== undefined) return { evidence: { [elsewhere.check]: elsewhere }, problems: [], ms: 0 }
      const { evidence, problems } = await gather({
        ...place(config ?? options.loaded.config),
        claim,
        signal,
        skipped,
        ...(task === undefined ? {} : { task }),
        ...(baselineId === undefined ? {} : { baselineId }),
        ...(previousPlan === undefined ? {} : { previousPlan }),
      })
      previousPlan = planText(workspace, config ?? options.loaded.config)
      if (!signal.aborted) warn(problems)
      return { evidence, problems, ms: Math.round(performance.now() - started) }
    },

    async decideAndRecord(observation: Observation) {
      const before = journal.state
      const { config } = before
      if (config === undefined) throw new Error('a run has a configuration')
      const { verdict, transitions, facts } = await critical(() =>
        decideAndRecord(journal, observation, { policy: policyFor(config), now: now() }),
      )
      await tellShared(options.shared, before, observation.spent)
      const { state } = journal
      const { at } = facts
      const about = {
        ...(facts.phase === undefined ? {} : { phase: facts.phase }),
        ...(observation.task === undefined ? {} : { task: observation.task }),
      }
      emit({ type: 'decided', iteration: facts.iteration, ...about, verdict, observation, transitions, state, at })
      warn(await critical(() => writeReadableCopy(workspace, state)))
      if (config.files)
        warn(await critical(() => writeCompat(workspace, { config, state, observation, verdict, transitions, at })))
      if (config.run.checkpoint) await keepWork(facts.iteration, config)
      return { verdict, state: journal.state }
    },

    async wait(until, signal) {
      await sleepUntil(until, now, signal)
      return now()
    },

    ...(options.menu === undefined ? {} : { menu: options.menu }),
  }

  /** An end that no iteration decided must not leave copies behind which say that the run goes on. */
  function copiesOfEnd(events: readonly EventInput[]): readonly string[] {
    if (!events.some(({ type }) => type === 'run.ended')) return []
    return [...writeReadableCopy(workspace, journal.state), ...writeCompatEnd(workspace, journal.state)]
  }

  function place(config: Config) {
    const { prompt, task } = options
    const { phase } = journal.state.counters
    return gatherOptions({
      workspace,
      stateDir: dir,
      config,
      prompt,
      at: now(),
      ...(task === undefined ? {} : { task }),
      ...(phase === undefined ? {} : { phase }),
    })
  }

  async function keepWork(iteration: number, config: Config): Promise<void> {
    const { run = '' } = journal.state
    const message = `exitgate: iteration ${iteration} of run ${run}`
    const leftOut = (text: string) => warn(news([text]))
    const options = { run, iteration, message, ignore: ownPaths(config), warn: leftOut }
    const kept = await critical(() => checkpoint(workspace, options))
    if (kept === undefined) return
    if ('problem' in kept) return warn([kept.problem])
    journal.append([{ type: 'checkpoint', iteration, ...kept }], now())
    emit({ type: 'checkpoint', ...kept, at: now() })
  }
}
