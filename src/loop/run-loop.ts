import type { FailureCause } from '../core/failure-cause.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { observation } from '../core/policy/look.ts'
import { policyFor } from '../core/presets/index.ts'
import type { RunEnd, Task } from '../core/run.ts'
import { readSignals } from '../core/signals/read-signals.ts'
import type { Observation, Policy } from '../core/types.ts'
import { redactAll } from '../system/redact.ts'
import { afterMenu, cutShort, type Requests, requestsOf } from './controls.ts'
import { breakerEnd, endBeforeStart, endEvent, endOf } from './ending.ts'
import { type Engine, type StepId, stepName } from './engine.ts'
import type { Host, Ready } from './host.ts'
import { afterAgent } from './limits/after-agent.ts'
import { type AgentSwitched, switchBefore, switchText } from './limits/fallback.ts'
import { observationOf, observationWithoutAgent } from './observation.ts'
import { unmetPrecondition, type Wait, waitsForCooldown } from './preconditions.ts'
import { promptFor } from './prompt.ts'
import type { Start } from './shared-limits.ts'

/** What the loop itself needs to know about how it was called. */
export interface LoopOptions {
  /** The user's own prompt. */
  readonly prompt: string
  /** The user forces the next decision: the run ends as forced, whatever the checks say. */
  readonly force?: { readonly by: string; readonly reason: string }
}

/**
 * The run, from the baseline to its end. It uses only `step` and `poll`; everything in between is plain code on their results. So
 * another process can continue a run at any point.
 */
export async function runLoop(engine: Engine, host: Host, options: LoopOptions): Promise<RunEnd> {
  const begun = await engine.step({ kind: 'begin' }, (signal) => host.begin(signal))
  if (begun === undefined) return endBeforeStart()
  if ('end' in begun) return begun.end
  let { state } = begun
  let paused = false
  for (let turn = 1; ; turn++) {
    const end = await oneTurn(turn)
    if (end !== undefined) return end
  }

  /** Handles the user's requests, then waits, ends or runs one iteration. Returns the end of the run, if there is one. */
  async function oneTurn(turn: number): Promise<RunEnd | undefined> {
    const requests = await receive(turn)
    paused = requests.pause ?? paused
    if (requests.interrupt !== undefined)
      return end(endEvent(state, 'interrupted', 'interrupt', requests.interrupt.reason))
    if (requests.force !== undefined || requests.skipPhase !== undefined)
      return decideAndRecord(observationWithoutAgent(requests), turn)
    const start = paused ? undefined : startOf(state)
    const ready = await engine.step({ kind: 'ready', turn }, () => host.ready(state, start))
    if (paused) return wait({ kind: 'waits', why: 'paused by the user' }, ready.at, turn)
    if (ready.workspaceProblem !== undefined) return end(endEvent(state, 'aborted', 'fatal', ready.workspaceProblem))
    if (acceptedSinceClaim(state)) return recheck(turn)
    await switchAgent(switchBefore(state, ready.at), ready.at, turn)
    const unmet = unmetPrecondition(state, policyOf(state), ready.at, ready.shared)
    if (unmet?.kind === 'waits') return wait(unmet, ready.at, turn)
    if (unmet?.kind === 'ends') return end(unmet.event)
    if (unmet?.kind === 'breaker') return askAboutBreaker(turn)
    return runIteration(ready, turn)
  }

  /** The user accepted what kept the last claim from being verified: the checks run again, and the agent does not. */
  async function recheck(turn: number): Promise<RunEnd | undefined> {
    const { previous, skipped = [] } = state
    if (previous === undefined) return undefined
    const task = previous.task === undefined ? {} : { task: previous.task }
    const call = { claim: true, skipped, ...task }
    const { evidence, ms } = await engine.step({ kind: 'evidence', turn }, (signal) =>
      host.gatherEvidence(call, signal),
    )
    const requests = await receive(turn, 'evidence')
    paused = requests.pause ?? paused
    const seen = cutShort(requests) ? observationWithoutAgent(requests) : observation(previous.signals, evidence, task)
    const spent = { ms, tokens: 0, usd: 0 }
    return decideAndRecord({ ...seen, interrupted: requests.interrupt !== undefined, spent }, turn)
  }

  /** One iteration: prompt, agent, read signals, gather evidence, decide and record. */
  async function runIteration(ready: Ready, turn: number): Promise<RunEnd | undefined> {
    const { task } = ready
    const { iteration, attempt } = await startIteration(ready, turn)

    // The step stores the signals, not the transcript, which is too large for the journal. So a run that is resumed after the
    // agent ended gets the same signals.
    const result = await engine.step({ kind: 'agent', iteration, attempt }, async (signal) => {
      const policy = policyOf(state)
      const prompt = promptFor(options.prompt, policy, state, ready)
      const { process, transcript, at } = await host.agent({ iteration, attempt, prompt, ...sessionOf(state) }, signal)
      const signals = await readSignals(transcript, { ...policy.reading, prompt })
      // The agent's words go to the journal, reports and notifications. The claim was read before secrets are removed.
      const result = { ...process, signals: redactAll(signals), errors: redactAll(process.errors) }
      host.emit({ type: 'agent-ended', iteration, result, at })
      return result
    })
    const duringAgent = await receive(turn, 'agent')
    const skipsEvidence = cutShort(duringAgent)
    if (!skipsEvidence) {
      const provider = await engine.step({ kind: 'limit', turn }, async () =>
        afterAgent(result, state, await host.ready(state)),
      )
      if (provider.kind === 'ends') return end(provider.happening)
      if (provider.kind === 'later') {
        await record([provider.happening], { kind: 'record', what: 'limited', turn })
        return switchAgent(provider.switched, ready.at, turn)
      }
    }

    const call = { claim: result.signals.claim === true, skipped: state.skipped ?? [], ...idOf(task) }
    const gathered = skipsEvidence
      ? undefined
      : await engine.step({ kind: 'evidence', turn }, (signal) => host.gatherEvidence(call, signal))
    const duringEvidence = await receive(turn, 'evidence')
    // What was accepted meanwhile counts in this iteration.
    const latest =
      duringEvidence.accepts && !cutShort(duringEvidence)
        ? await engine.step({ kind: 'evidence', turn, again: true }, (signal) => host.gatherEvidence(call, signal))
        : gathered
    paused = duringEvidence.pause ?? duringAgent.pause ?? paused

    const { force } = options
    const requests = { ...duringAgent, ...duringEvidence, ...(force === undefined ? {} : { force }) }
    // Interrupted evidence proves nothing.
    const evidence = cutShort(duringEvidence) ? undefined : latest
    return decideAndRecord(observationOf({ result, gathered: evidence, requests, state, ...idOf(task) }), turn)
  }

  /** Records the start of the iteration, unless its agent finished before the process died. */
  async function startIteration({ task, config, at }: Ready, turn: number): Promise<Start> {
    const iteration = state.iterations + 1
    const finished = finishedAttempt(state, iteration)
    const attempt = finished ?? nextAttempt(state, iteration)
    const phase = state.counters.phase === undefined ? {} : { phase: state.counters.phase }
    if (config !== undefined)
      await record([{ type: 'task.config', task: task?.id ?? '', config }], { kind: 'record', what: 'task', turn })
    const begins = { type: 'iteration.started', iteration, attempt, ...phase, ...idOf(task) } as const
    if (finished === undefined) await record([begins], { kind: 'record', what: 'start', turn })
    host.emit({ type: 'iteration', iteration, attempt, ...phase, ...(task && { task: task.title }), at })
    return { iteration, attempt }
  }

  async function decideAndRecord(observation: Observation, turn: number): Promise<RunEnd | undefined> {
    const decided = await engine.step({ kind: 'decide', turn }, () => host.decideAndRecord(observation))
    state = decided.state
    if (decided.verdict.action !== 'stop') return undefined
    // Before a stuck run ends, ask the user at the terminal or wait for the cooldown.
    const { ending } = state.ended ?? decided.verdict
    if (ending === 'breaker' && (host.menu !== undefined || waitsForCooldown(state, policyOf(state)))) return undefined
    return endOf(state)
  }

  /** The breaker is open: nothing starts until the user closes it. */
  async function askAboutBreaker(turn: number): Promise<RunEnd | undefined> {
    const { menu } = host
    if (menu === undefined) return state.ended === undefined ? end(breakerEnd(state)) : endOf(state)
    const choice = await engine.step({ kind: 'menu', turn }, (signal) =>
      menu.call(host, state, state.last?.verdict, signal),
    )
    const after = afterMenu(choice, state, policyOf(state))
    await record(after.events, { kind: 'record', what: 'chosen', turn })
    if (after.ends) return state.ended === undefined ? end(breakerEnd(state)) : endOf(state)
    if (after.skipPhase === undefined) return undefined
    return decideAndRecord(observationWithoutAgent({ skipPhase: after.skipPhase }), turn)
  }

  /** The user's requests since the last time. All of them are recorded. */
  async function receive(turn: number, after?: 'agent' | 'evidence'): Promise<Requests> {
    const requests = requestsOf(await engine.poll('control'), state, policyOf(state))
    await record(requests.events, { kind: 'record', what: 'control', turn, ...(after === undefined ? {} : { after }) })
    return requests
  }

  async function record(events: readonly EventInput[], id: Extract<StepId, { kind: 'record' }>): Promise<undefined> {
    if (events.length > 0) state = await engine.step(id, () => host.record(events))
  }

  async function switchAgent(switched: AgentSwitched | undefined, at: number, turn: number): Promise<undefined> {
    if (switched === undefined) return
    await record([switched], { kind: 'record', what: 'switched', turn })
    if (state.config !== undefined) host.emit({ type: 'warning', text: switchText(switched, state.config.run), at })
  }

  async function end(event: EventInput): Promise<RunEnd> {
    await record([event], { kind: 'record', what: 'the end' })
    return endOf(state)
  }

  async function wait({ kind: _kind, ...why }: Wait, at: number, turn: number): Promise<undefined> {
    await engine.step({ kind: 'wait', turn }, async (signal) => {
      host.emit({ type: 'waiting', ...why, at })
      host.emit({ type: 'waited', at: await host.wait(why.until, signal) })
    })
  }
}

/** The last claim is still valid, and since then the user has accepted findings. */
function acceptedSinceClaim({ accepted = [], iterations, last, previous, running }: State): boolean {
  if (running !== undefined || last?.verdict.gate.claim !== 'yes' || previous?.signals.claim !== true) return false
  return previous.signals.vetoes.length === 0 && accepted.some(({ after }) => after === iterations)
}

function policyOf({ config }: State): Policy {
  if (config === undefined) throw new Error('a run has a configuration')
  return policyFor(config)
}

const idOf = (task: Task | undefined): { readonly task?: string } => (task === undefined ? {} : { task: task.id })

/** After these, the session has work to continue. After any other failure, the session itself may be what fails. */
const CAN_CONTINUE: readonly FailureCause[] = ['time', 'silence', 'turns', 'budget', 'length', 'cut', 'outage', 'limit']

/** The agent's own session, if it is to be continued. */
function sessionOf({ config, previous }: State): { readonly session?: string } {
  const canContinue = previous?.failed?.cause === undefined || CAN_CONTINUE.includes(previous.failed.cause)
  const id = config?.run.continueSession === true && canContinue ? previous?.session?.id : undefined
  return id === undefined ? {} : { session: id }
}

/** The attempt at this iteration whose agent finished before the process died. */
function finishedAttempt({ running, steps = {} }: State, iteration: number): number | undefined {
  const attempt = running?.attempt
  if (running?.iteration !== iteration || attempt === undefined) return undefined
  return Object.hasOwn(steps, stepName({ kind: 'agent', iteration, attempt })) ? attempt : undefined
}

/** The next start of the agent; undefined if the agent of this iteration has finished. */
function startOf(state: State): Start | undefined {
  const iteration = state.iterations + 1
  const isFinished = finishedAttempt(state, iteration) !== undefined
  return isFinished ? undefined : { iteration, attempt: nextAttempt(state, iteration) }
}

/** Every start of an iteration has its own number, so that no output is overwritten. */
const nextAttempt = ({ attempt }: State, iteration: number): number =>
  attempt?.iteration === iteration ? attempt.n + 1 : 1
