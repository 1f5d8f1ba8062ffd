import { openReader } from '../../src/agents/reader.ts'
import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch } from '../../src/core/config.ts'
import type { EventInput, JournalEvent, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { AgentResult, BreakerChoice, Control, Task } from '../../src/core/run.ts'
import type { EvidenceSet } from '../../src/core/types.ts'
import { decideAndRecord } from '../../src/journal/decide-and-record.ts'
import type { AgentRun } from '../../src/loop/agent/call.ts'
import { localEngine } from '../../src/loop/engine-local.ts'
import type { AgentStart, Host } from '../../src/loop/host.ts'
import { askShared } from '../../src/loop/preconditions.ts'
import { reportShared, type SharedLimits, spentOn } from '../../src/loop/shared-limits.ts'
import { nextTask } from '../../src/loop/tasks.ts'

/** What one start of the agent does. */
export interface Act {
  readonly says?: string
  readonly code?: number
  readonly ended?: AgentResult['ended']
  readonly errors?: AgentResult['errors']
  /** The event stream breaks off. */
  readonly cut?: boolean
  readonly tests?: readonly [passed: number, failed: number]
  /** The tree afterwards. By default it differs from the one before. */
  readonly tree?: string
  /** The checks find no change since the start of the run. */
  readonly unchanged?: boolean
  /** What the agent printed and how it ended, instead of the fields above. */
  readonly run?: AgentRun
  readonly usd?: number
  readonly tokens?: number
  readonly ms?: number
  readonly session?: string
  /** Controls that arrive while it works. */
  readonly controls?: readonly Control[]
  readonly tasks?: readonly Task[]
}

export interface Script {
  /** When the run starts. */
  readonly start?: number
  readonly config?: ConfigPatch
  readonly acts: readonly Act[]
  readonly tasks?: readonly Task[]
  readonly menu?: readonly BreakerChoice[]
  readonly before?: readonly Control[]
  readonly state?: State
  readonly shared?: SharedLimits
}

const START = Date.UTC(2026, 0, 1)

/** An in-memory host for the loop. State and decisions are real; a script replaces the processes. */
export function fakeWorld(script: Script) {
  const config = configure({ ...script.config })
  const events: JournalEvent[] = []
  const emitted: LoopEvent[] = []
  const prompts: string[] = []
  const waits: (number | undefined)[] = []
  const menu = [...(script.menu ?? [])]
  let tasks = script.tasks ?? []
  let state = script.state ?? emptyState()
  let now = script.start ?? START
  let acts = 0
  let tree = 0
  let act: Act = {}

  const append = (inputs: readonly EventInput[]): readonly JournalEvent[] => {
    for (const input of inputs) {
      // Through JSON, like the real journal.
      const event = JSON.parse(
        JSON.stringify({ v: 1, seq: state.seq + 1, at: now, prev: '', ...input }),
      ) as JournalEvent
      events.push(event)
      state = reduce(state, event)
    }
    return []
  }

  const host: Host = {
    emit: (event) => void emitted.push(event),
    async begin() {
      if (state.run === undefined)
        append([
          { type: 'run.started', run: 'r1', config, ...(phase() === undefined ? {} : { phase: phase() as string }) },
        ])
      else append([{ type: 'run.resumed', iteration: state.iterations, reason: 'test' }])
      return { state }
    },
    async ready(_state, start) {
      const task = nextTask(tasks, { skipped: state.skipped ?? [] })
      const shared = await askShared(script.shared, state, policyFor(state.config ?? config), start, now)
      return { at: now, ...(task === undefined ? {} : { task }), ...shared }
    },
    async record(inputs) {
      append(inputs)
      return state
    },
    async agent(call: AgentStart, signal) {
      prompts.push(call.prompt)
      const next = script.acts[acts++]
      if (next === undefined) throw new Error(`the agent was started ${acts} times, and the script has no more`)
      act = next
      now += act.ms ?? 60_000
      tasks = act.tasks ?? tasks
      for (const control of act.controls ?? []) engine.send(control)
      const run = act.run ?? runOf(act, signal.aborted)
      await reportShared(script.shared, state, spentOn(run.process, state))
      return { ...run, at: now }
    },
    async gatherEvidence() {
      now += 1000
      return { evidence: evidenceOf(act, act.tree ?? `t${tree++}`), problems: [], ms: 1000 }
    },
    async decideAndRecord(observation) {
      await reportShared(script.shared, state, observation.spent)
      const journal = { state, lastAt: 0, append }
      const { verdict } = decideAndRecord(journal, observation, { policy: policyFor(state.config ?? config), now })
      return { verdict, state }
    },
    async wait(until) {
      waits.push(until === undefined ? undefined : until - START)
      now = Math.max(now, until ?? now)
      if (until === undefined) engine.send({ kind: 'resume', by: 'test', reason: 'enough' })
      return now
    },
    ...(script.menu === undefined
      ? {}
      : { menu: async () => menu.shift() ?? ({ kind: 'abort', reason: 'no more choices' } as const) }),
  }
  const engine = localEngine({
    kept: (name) => state.steps?.[name],
    keep: (name, result) => append([{ type: 'step.done', name, result }]),
  })
  for (const control of script.before ?? []) engine.send(control)
  return { host, engine, events, emitted, prompts, waits, started: () => acts, state: () => state }

  function phase(): string | undefined {
    return policyFor(config).phases?.[0]
  }
}

export function runOf(act: Act, aborted = false): AgentRun {
  const reader = openReader('text')
  reader.write(Buffer.from(act.says ?? 'I worked on it.\n'))
  const transcript = reader.end()
  const process = {
    code: aborted ? null : (act.code ?? 0),
    ended: aborted ? 'aborted' : (act.ended ?? 'exit'),
    ms: act.ms ?? 60_000,
    format: act.errors === undefined && act.cut === undefined ? 'text' : 'claude',
    bytes: transcript.bytes,
    usage: {
      ...(act.usd === undefined ? {} : { usd: act.usd }),
      ...(act.tokens === undefined ? {} : { tokens: act.tokens }),
    },
    errors: act.errors ?? [],
    finished: act.cut !== true,
    stderr: '',
    problems: [],
    leftBehind: 0,
    ...(act.session === undefined ? {} : { session: act.session }),
  } as const
  return { process, transcript }
}

export function evidenceOf({ tests = [1, 1], unchanged }: Act, tree: string): EvidenceSet {
  const [passed, failed] = tests
  const answer = failed > 0 ? 'no' : 'yes'
  return {
    tests: {
      check: 'tests',
      answer,
      detail: `${failed} failed`,
      counts: { total: passed + failed, passed, failed },
      ms: 1,
      tree,
    },
    ...(failed === 0 && { proven: { check: 'proven', answer: 'yes', detail: 'so it is', ms: 1, tree } }),
    changed: { check: 'changed', answer: unchanged === true ? 'no' : 'yes', detail: 'files changed', ms: 1, tree },
  }
}
