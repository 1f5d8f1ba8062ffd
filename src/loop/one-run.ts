import type { Loaded } from '../config/load.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Control, LoopEvent, RunEnd } from '../core/run.ts'
import type { AgentMark } from './agent/call.ts'
import { openControl } from './control/server.ts'
import { whyNoEffect } from './controls.ts'
import { endOf, endWithout, nothingBegun } from './ending.ts'
import { localEngine } from './engine-local.ts'
import type { Host } from './host.ts'
import { LocalHost } from './local-host.ts'
import type { NotifyIo } from './notify.ts'
import { keepPrompt } from './prompt.ts'
import { type LoopOptions, runLoop } from './run-loop.ts'
import type { SharedLimits } from './shared-limits.ts'
import type { ConfiguredAgent } from './start-agent.ts'

export interface RunSetup extends LoopOptions {
  readonly workspace: string
  readonly dir: string
  readonly loaded: Loaded
  readonly resume: boolean
  readonly agent: ConfiguredAgent
  readonly allowRemote: boolean
  readonly task?: string
  emit(event: LoopEvent): void
  readonly menu?: NonNullable<Host['menu']>
  readonly shared?: SharedLimits
  /** Other runs of this process: since when there are any, and their agents, which may not control this run either. */
  readonly siblings?: { readonly since: number; agents(): readonly AgentMark[] }
}

export type RunIo = Omit<NotifyIo, 'workspace'> & { now(): number }

/** One run, open for what people ask of it. */
export interface OneRun {
  /** From its opening to its end. */
  readonly end: Promise<RunEnd>
  agentWorks(): boolean
  /** The agent's process tree, while there is one. */
  agent(): AgentMark | undefined
  /** The first Ctrl+C. */
  interrupt(message: string, now: boolean): void
  /** The second one: nothing is waited for any more, and the journal has the last word. */
  kill(): RunEnd
}

/** Opens a run of its own on this machine: journal, workspace, agent, and the socket through which it is spoken to. */
export function openRun(setup: RunSetup, io: RunIo): OneRun {
  const { emit, loaded, dir } = setup
  const host = new LocalHost({ ...setup, env: io.env, now: io.now, emit: hear })
  const engine = localEngine(host.memory)
  let control: Promise<{ close(): void }> | undefined
  let begun = false
  let warnedOfChange = false
  return {
    end: whole(),
    agentWorks: engine.agentWorks,
    agent: () => host.state.running?.agent,
    interrupt(message, now) {
      emit({ type: 'interrupted', message, now, at: io.now() })
      engine.send({ kind: 'interrupt', by: 'a person', reason: 'a person interrupted the run' }, now)
    },
    kill() {
      // An end that was there before is not taken back, whatever is still to be told about it.
      const killed = host.state.ended === undefined || !begun
      if (begun && killed)
        host.append([
          endWithout(host.state, 'interrupted', 'interrupt', 'a person ended the run and the agent at once'),
        ])
      const end = { ...(begun ? endOf(host.state) : nothingBegun()), killed }
      emit({ type: 'ended', end, at: io.now() })
      host.close()
      return end
    },
  }

  async function whole(): Promise<RunEnd> {
    try {
      const end = await runLoop(engine, host, setup)
      const { notify } = await import('./notify.ts')
      const ways = host.state.config?.run.notify ?? loaded.config.run.notify
      const problems = await notify(end, ways, { ...io, workspace: setup.workspace })
      for (const text of problems) emit({ type: 'warning', text, at: io.now() })
      emit({ type: 'ended', end, at: io.now() })
      return end
    } finally {
      ;(await control)?.close()
      host.close()
    }
  }

  /** The socket opens once there is a run that can be spoken to. */
  function hear(event: LoopEvent): void {
    if (event.type === 'started') {
      begun = true
      control = open(event.run, event.resumed)
    }
    emit(event)
    const changed = event.type === 'decided' && !warnedOfChange ? loaded.changed?.() : undefined
    if (changed === undefined) return
    warnedOfChange = true
    emit({ type: 'warning', text: changed, at: io.now() })
  }

  async function open(run: string, resumed: boolean): Promise<{ close(): void }> {
    if (!resumed) keepPrompt(dir, run, setup.prompt)
    const since = Math.min(
      host.state.startedAt ?? Number.POSITIVE_INFINITY,
      setup.siblings?.since ?? Number.POSITIVE_INFINITY,
    )
    const opened = await openControl({
      dir,
      run,
      ...(Number.isFinite(since) ? { startedAt: since } : {}),
      allowRemote: setup.allowRemote,
      onControl(asked) {
        const { state } = host
        const why = state.config === undefined ? undefined : whyNoEffect(asked, state, policyFor(state.config))
        if (why !== undefined) return refused(asked, why)
        emit({ type: 'control', control: asked, at: io.now() })
        engine.send(asked)
        return { taken: true, text: takenWords(asked) }
      },
      onRefused: refused,
      status: () => ({ run, iterations: host.state.iterations, running: host.state.running }),
      agents: () =>
        [host.state.running?.agent, ...(setup.siblings?.agents() ?? [])].filter((each) => each !== undefined),
    })
    if (opened.problem !== undefined) emit({ type: 'warning', text: opened.problem, at: io.now() })
    return opened
  }

  function refused({ kind, by, reason }: Control, why: string) {
    host.append([{ type: 'note', text: `refused: ${kind} by ${by} (${reason}): ${why}` }])
    return { taken: false, text: why }
  }
}

const WORDS: Readonly<Record<Control['kind'], string>> = {
  interrupt: 'the agent finishes this iteration, then the run stops',
  force: 'the agent is ended, and the run ends as forced',
  skip: 'the current task or phase is skipped',
  'reset-breaker': 'the breaker is closed before the next iteration',
  guidance: "it goes into the agent's next prompts",
  pause: 'the run holds before the next iteration',
  resume: 'the run goes on',
}
const takenWords = ({ kind }: Control): string => WORDS[kind]
