import { BASE } from '../config/defaults.ts'
import type { Loaded } from '../config/load.ts'
import { revealed, tokensIn } from '../config/notify-secrets.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Control, RunEnd } from '../core/run.ts'
import { addSecrets } from '../system/environment.ts'
import type { AgentMark } from './agent/call.ts'
import { writeCode } from './control/codes.ts'
import { EventFeed } from './control/event-feed.ts'
import type { Answered, ControlRequest } from './control/request.ts'
import { openControl } from './control/server.ts'
import { whyNoEffect } from './controls.ts'
import { endBeforeStart, endEvent, endOf } from './ending.ts'
import { localEngine } from './engine-local.ts'
import type { AskFailing, Host } from './host.ts'
import { LocalHost } from './local-host.ts'
import { type Alert, alertFor, type NotifyIo } from './notify/alert.ts'
import { keepPrompt } from './prompt.ts'
import { type LoopOptions, runLoop } from './run-loop.ts'
import type { SharedLimits } from './shared-limits.ts'
import type { ConfiguredAgent } from './start-agent.ts'
import { openTelemetry } from './telemetry/open.ts'

export interface RunSetup extends LoopOptions {
  readonly workspace: string
  readonly dir: string
  readonly loaded: Loaded
  readonly resume: boolean
  readonly agent: ConfiguredAgent
  readonly allowRemote: boolean
  readonly task?: string
  emit(event: LoopEvent): void
  readonly before?: readonly LoopEvent[]
  readonly menu?: NonNullable<Host['menu']>
  readonly askFailing?: AskFailing
  /** Shows a one-time code in the run's own terminal; false if there is none. */
  showCode?(code: string, action: string): boolean
  readonly shared?: SharedLimits
  /** Other runs of this process: when the first one started, and their agents, which may not control this run. */
  readonly siblings?: { readonly since: number; agents(): readonly AgentMark[] }
}

export type RunIo = Omit<NotifyIo, 'workspace'> & { now(): number }

/** A run that you can interrupt. */
export interface OneRun {
  /** Settles when the run has ended. */
  readonly end: Promise<RunEnd>
  agentWorks(): boolean
  /** The agent's process tree, while there is one. */
  agent(): AgentMark | undefined
  /** Handles a request from the run's own terminal. */
  control(control: Control): Answered
  /** The first Ctrl+C. */
  interrupt(message: string, now: boolean): void
  /** The second Ctrl+C: records the end without waiting for anything. */
  kill(): RunEnd
}

/** Starts a run on this machine, with its journal, agent and control socket. */
export function openRun(setup: RunSetup, io: RunIo): OneRun {
  const { loaded, dir } = setup
  const feed = new EventFeed()
  const telemetry = openTelemetry(io.env, (text) => emit({ type: 'warning', text, at: io.now() }))
  const emit = (event: LoopEvent): void => {
    feed.tell(event)
    telemetry?.tell(event)
    setup.emit(event)
  }
  addSecrets(tokensIn(loaded.config))
  const host = new LocalHost({
    ...setup,
    env: io.env,
    now: io.now,
    emit: onEvent,
    onOpening(run, startedAt) {
      control = open(run, startedAt)
    },
    controllable: () => control,
    ...menuWithEvent(),
  })
  const engine = localEngine(host.memory)
  const sending: Promise<void>[] = []
  const alerted = new Set<string>()
  let control: Promise<{ close(): void }> | undefined
  let started = false
  let isPaused = false
  let isOver = false
  let warnedOfConfigChange = false
  for (const event of setup.before ?? []) emit(event)
  return {
    end: runToEnd(),
    agentWorks: engine.agentWorks,
    agent: () => host.state.running?.agent,
    control: take,
    interrupt(message, now) {
      emit({ type: 'interrupted', message, now, at: io.now() })
      engine.send({ kind: 'interrupt', by: 'the user', reason: 'interrupted by the user' }, now)
    },
    kill() {
      // If the run has already ended, its end stays as it is.
      const killed = host.state.ended === undefined || !started
      if (started && killed)
        host.append([endEvent(host.state, 'interrupted', 'interrupt', 'stopped at once by the user')])
      const end = { ...(started ? endOf(host.state) : endBeforeStart()), killed }
      emit({ type: 'ended', end, at: io.now() })
      void feed.close()
      void host.close()
      return end
    },
  }

  async function runToEnd(): Promise<RunEnd> {
    try {
      const end = await runLoop(engine, host, setup).finally(() => {
        isOver = true
      })
      const ended: LoopEvent = { type: 'ended', end, at: io.now() }
      // Sent before everyone else hears of it, because nothing comes after the end.
      alert(ended)
      await Promise.all(sending)
      emit(ended)
      await telemetry?.close()
      return end
    } finally {
      // Before the control, which ends the connections of the readers.
      await feed.close()
      ;(await control)?.close()
      await host.close()
    }
  }

  /** Sends an alert if the event is worth one. The run doesn't wait for it, and a failure is only a warning. */
  function alert(event: LoopEvent): void {
    const alert = alertFor(event, host.state.run ?? '', host.state.config)
    if (alert === undefined) return
    const key = `${alert.kinds[0]} ${alert.until ?? ''}`
    if (alert.until !== undefined && alerted.has(key)) return
    alerted.add(key)
    sending.push(send(alert))
  }

  async function send(alert: Alert): Promise<void> {
    const { notify } = await import('./notify/send.ts')
    const ways = revealed(host.state.config?.run.notify ?? loaded.config.run.notify, loaded.config)
    const problems = await notify(alert, ways, { ...io, workspace: setup.workspace })
    for (const text of problems) emit({ type: 'warning', text, at: io.now() })
  }

  function menuWithEvent(): Pick<RunSetup, 'menu'> {
    const { menu } = setup
    if (menu === undefined) return {}
    return {
      menu(state, verdict, signal) {
        const minutes = state.config?.run.questionMinutes ?? BASE.run.questionMinutes ?? 0
        const reason = state.counters.breaker.reason ?? verdict?.reason
        const why = `The circuit breaker is open${reason === undefined ? '' : `: ${reason}`}`
        onEvent({ type: 'asking', why, until: io.now() + minutes * 60_000, at: io.now() })
        return menu(state, verdict, signal)
      },
    }
  }

  function onEvent(event: LoopEvent): void {
    if (event.type === 'started') {
      started = true
      if (!event.resumed) keepPrompt(dir, event.run, setup.prompt)
    }
    alert(event)
    emit(event)
    const changed = event.type === 'decided' && !warnedOfConfigChange ? loaded.changed?.() : undefined
    if (changed === undefined) return
    warnedOfConfigChange = true
    emit({ type: 'warning', text: changed, at: io.now() })
  }

  async function open(run: string, at: number): Promise<{ close(): void }> {
    const opened = await openControl({
      dir,
      run,
      startedAt: Math.min(at, setup.siblings?.since ?? at),
      allowRemote: setup.allowRemote,
      onControl: take,
      useless,
      onRefused: refused,
      showCode,
      now: io.now,
      feed,
      status: () => ({ run, iterations: host.state.iterations, running: host.state.running }),
      agents: () =>
        [host.state.running?.agent, ...(setup.siblings?.agents() ?? [])].filter((each) => each !== undefined),
    })
    if (opened.problem !== undefined) emit({ type: 'warning', text: opened.problem, at: io.now() })
    return opened
  }

  function take(asked: Control): Answered {
    // Nothing would read it. The journal has an end already while the breaker's menu is open, so that doesn't count.
    if (isOver) return { taken: false, text: OVER }
    const { kind } = asked
    const why = useless(asked)
    if (why !== undefined) return refused(asked, why)
    if (kind === 'pause' && isPaused) return { taken: true, text: PAUSED }
    if (kind === 'pause' || kind === 'resume') isPaused = kind === 'pause'
    emit({ type: 'control', control: asked, at: io.now() })
    const now = kind === 'interrupt' && asked.now === true
    engine.send(asked, now)
    if (kind === 'interrupt' && !started) return { taken: true, text: 'Stopping the run.' }
    return { taken: true, text: now ? 'Ending the agent now. The run stops.' : ACCEPTED[kind] }
  }

  function useless(asked: Control): string | undefined {
    if (!started) return ['accept', 'skip', 'reset-breaker'].includes(asked.kind) ? NOT_YET : undefined
    const { state } = host
    return state.config === undefined ? undefined : whyNoEffect(asked, state, policyFor(state.config))
  }

  /** In the run's own terminal, or in a file that no sandbox shows. */
  function showCode(code: string, action: string): string {
    host.append([{ type: 'note', text: `a one-time code was given out for: ${action}` }])
    if (setup.showCode?.(code, action) === true) return 'the terminal of the run'
    return writeCode(dir, code, action)
  }

  function refused({ kind, by, reason }: ControlRequest, why: string) {
    host.append([{ type: 'note', text: `refused: ${kind} by ${by} (${reason}): ${why}` }])
    return { taken: false, text: why }
  }
}

const OVER = 'The run has already ended, so nothing was done. Try again when its process has exited.'

const NOT_YET = 'The run is still taking its baseline. Try again when its first iteration has begun.'
const PAUSED = 'The run is paused already, or will be after the current iteration. `exitgate resume` continues it.'
const ACCEPTED: Readonly<Record<Control['kind'], string>> = {
  interrupt: 'Stopping after the current iteration.',
  force: 'Stopping the agent. The run ends as forced.',
  skip: 'Skipping the current task or phase.',
  'reset-breaker': 'The circuit breaker will be closed before the next iteration.',
  accept: 'Accepted. It counts from the next time the checks run.',
  guidance: "Added to the agent's next prompts.",
  pause: 'Pausing after the current iteration.',
  resume: 'Resuming the run.',
}
