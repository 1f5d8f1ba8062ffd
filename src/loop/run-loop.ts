import type { EventInput, State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { AgentResult, Engine, RunEnd, Task } from '../core/run.ts'
import type { Policy } from '../core/types.ts'
import { type Hindrance, hindranceOf, waitsForCooldown } from './before-iteration.ts'
import { type Asked, afterMenu, askedOf, cutShort } from './controls.ts'
import { breakerEnd, endOf, endWithout, nothingBegun } from './ending.ts'
import type { Host, Ready } from './host.ts'
import { afterAgent } from './limits/after-agent.ts'
import { idle, observed } from './observed.ts'
import { promptOf } from './prompt.ts'
import type { Start } from './shared-limits.ts'

/** What the loop itself needs to know of how it was called. */
export interface LoopOptions {
  /** The user's own words for the agent. */
  readonly prompt: string
  /** The run's next decision is a person's: whatever the gate says, it ends as forced. */
  readonly force?: { readonly by: string; readonly reason: string }
}

/**
 * The run, from the baseline to its end. Written against `step` and `poll` alone: between them stands nothing but plain code on what
 * they gave, so that another engine can take a run over in the middle.
 */
export async function runLoop(engine: Engine, host: Host, options: LoopOptions): Promise<RunEnd> {
  const begun = await engine.step('begin', (signal) => host.begin(signal))
  if (begun === undefined) return nothingBegun()
  let { state } = begun
  const forced = options.force
  let paused = false
  for (let turn = 1; ; turn++) {
    const asked = askedOf(await engine.poll('control'), state, policyOf(state))
    state = await record(asked.happenings, `control ${turn}`)
    paused = asked.pause ?? paused
    if (asked.interrupt !== undefined)
      return ended(endWithout(state, 'interrupted', 'interrupt', asked.interrupt.reason))
    if (asked.force !== undefined || asked.skipPhase !== undefined) {
      const end = await decide(idle(asked), turn)
      if (end !== undefined) return end
      continue
    }
    const start = paused ? undefined : startOf(state)
    const ready = await engine.step(`ready ${turn}`, () => host.ready(state, start))
    if (paused) {
      await engine.step(`wait ${turn}`, (signal) =>
        waitFor({ kind: 'waits', why: 'paused by a person' }, ready.at, signal),
      )
      continue
    }
    const hindrance = hindranceOf(state, policyOf(state), ready.at, ready.shared)
    if (hindrance?.kind === 'waits') {
      await engine.step(`wait ${turn}`, (signal) => waitFor(hindrance, ready.at, signal))
      continue
    }
    if (hindrance?.kind === 'ends') return ended(hindrance.happening)
    if (hindrance?.kind === 'breaker') {
      const end = await breaker(turn)
      if (end !== undefined) return end
      continue
    }
    const end = await iteration(ready, turn)
    if (end !== undefined) return end
  }

  /** One iteration: start, agent, evidence, decision. Gives the end, when that was it. */
  async function iteration(ready: Ready, turn: number): Promise<RunEnd | undefined> {
    const number = state.iterations + 1
    const { task } = ready
    const kept = agentDone(state, number)
    const attempt = kept ?? nextAttempt(state, number)
    const { phase } = state.counters
    if (ready.config !== undefined)
      state = await record([{ type: 'task.config', task: task?.id ?? '', config: ready.config }], `task ${turn}`)
    if (kept === undefined) {
      const named = task === undefined ? {} : { task: task.id }
      const where = phase === undefined ? {} : { phase }
      state = await record(
        [{ type: 'iteration.started', iteration: number, attempt, ...where, ...named }],
        `start ${turn}`,
      )
    }
    const labels = { ...(phase === undefined ? {} : { phase }), ...(task === undefined ? {} : { task: task.title }) }
    host.tell({ type: 'iteration', iteration: number, attempt, ...labels, at: ready.at })
    const result = await engine.step(agentStep(number, attempt), (signal) => start(number, attempt, task, signal))
    const asked = askedOf(await engine.poll('control'), state, policyOf(state))
    state = await record(asked.happenings, `control ${turn} after the agent`)
    if (!cutShort(asked)) {
      const provider = await engine.step(`limit ${turn}`, async () =>
        afterAgent(result, state, await host.ready(state)),
      )
      if (provider.kind === 'later') {
        state = await record([provider.happening], `limited ${turn}`)
        return undefined
      }
      if (provider.kind === 'ends') return ended(provider.happening)
    }
    return judge(result, asked, task, turn)
  }

  async function judge(result: AgentResult, asked: Asked, task: Task | undefined, turn: number) {
    const claim = result.signals.claim === true
    const call = { claim, skipped: state.skipped ?? [], ...(task === undefined ? {} : { task: task.id }) }
    const gathered = cutShort(asked)
      ? undefined
      : await engine.step(`evidence ${turn}`, (signal) => host.evidence(call, signal))
    const late = askedOf(await engine.poll('control'), state, policyOf(state))
    state = await record(late.happenings, `control ${turn} after the evidence`)
    paused = late.pause ?? asked.pause ?? paused
    const both = { ...asked, ...late, ...(forced === undefined ? {} : { force: forced }) }
    // What was cut off in the middle is no evidence of anything.
    const proof = cutShort(late) ? undefined : gathered
    return decide(
      observed({ result, gathered: proof, asked: both, state, ...(task === undefined ? {} : { task: task.id }) }),
      turn,
    )
  }

  async function decide(observation: ReturnType<typeof observed>, turn: number): Promise<RunEnd | undefined> {
    const decided = await engine.step(`decide ${turn}`, () => host.decide(observation))
    state = decided.state
    if (decided.verdict.action !== 'stop') return undefined
    // The person at the terminal, or the cooldown, has a say before a stuck run is over.
    if (decided.verdict.ending === 'breaker' && (host.menu !== undefined || waitsForCooldown(state, policyOf(state))))
      return undefined
    return endOf(state)
  }

  /** The breaker is open: nothing starts before somebody, or time, has closed it. */
  async function breaker(turn: number): Promise<RunEnd | undefined> {
    const { menu } = host
    if (menu === undefined) return state.ended === undefined ? ended(breakerEnd(state)) : endOf(state)
    const choice = await engine.step(`menu ${turn}`, (signal) => menu.call(host, state, state.last?.verdict, signal))
    const after = afterMenu(choice, state, policyOf(state))
    state = await record(after.happenings, `chosen ${turn}`)
    if (after.ends) return state.ended === undefined ? ended(breakerEnd(state)) : endOf(state)
    return after.skipPhase === undefined ? undefined : decide(idle({ skipPhase: after.skipPhase }), turn)
  }

  async function record(happenings: readonly EventInput[], name: string): Promise<State> {
    return happenings.length === 0 ? state : engine.step(`record ${name}`, () => host.record(happenings))
  }

  async function ended(happening: EventInput): Promise<RunEnd> {
    state = await record([happening], 'the end')
    return endOf(state)
  }

  function start(number: number, attempt: number, task: Task | undefined, signal: AbortSignal): Promise<AgentResult> {
    const { phase } = state.counters
    const prompt = promptOf({
      user: options.prompt,
      protocol: policyOf(state).prompt,
      tool: state.config?.run.mcp === true,
      guidance: state.guidance ?? [],
      ...(task === undefined ? {} : { task }),
      ...(phase === undefined ? {} : { phase }),
      ...(state.last === undefined ? {} : { last: state.last.verdict }),
    })
    const session = state.config?.run.continueSession === true ? state.previous?.session?.id : undefined
    return host.agent({ iteration: number, attempt, prompt, ...(session === undefined ? {} : { session }) }, signal)
  }

  async function waitFor(
    hindrance: Extract<Hindrance, { kind: 'waits' }>,
    at: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { until, why } = hindrance
    host.tell({ type: 'waiting', ...(until === undefined ? {} : { until }), why, at })
    host.tell({ type: 'waited', at: await host.wait(until, signal) })
  }
}

function policyOf({ config }: State): Policy {
  if (config === undefined) throw new Error('a run has a configuration')
  return policyFor(config)
}

/** The start of this iteration whose agent had ended before the process died: only its judgement is left. */
function agentDone({ running, steps = {} }: State, iteration: number): number | undefined {
  const attempt = running?.attempt
  if (running?.iteration !== iteration || attempt === undefined) return undefined
  return Object.hasOwn(steps, agentStep(iteration, attempt)) ? attempt : undefined
}

/** The start of the agent that comes next; none when only a judgement is left. */
function startOf(state: State): Start | undefined {
  const iteration = state.iterations + 1
  return agentDone(state, iteration) === undefined ? { iteration, attempt: nextAttempt(state, iteration) } : undefined
}

/** Every start of an iteration has a number of its own, so that no output is written over. */
const nextAttempt = ({ attempt }: State, iteration: number): number =>
  attempt?.iteration === iteration ? attempt.n + 1 : 1

/** The one step whose result is kept: an agent must not do the same work twice. */
export const agentStep = (iteration: number, attempt: number): string => `agent ${iteration}.${attempt}`
