import type { Loaded } from '../../config/load.ts'
import { openControl } from '../../loop/control/open.ts'
import { futile } from '../../loop/controls.ts'
import { endOf, endWithout, nothingBegun } from '../../loop/ending.ts'
import { localEngine } from '../../loop/engine-local.ts'
import type { Host } from '../../loop/host.ts'
import { watchInterrupts } from '../../loop/interrupts.ts'
import { openLocalHost } from '../../loop/local-host.ts'
import { type LoopOptions, runLoop } from '../../loop/run-loop.ts'
import type { StartAgent } from '../../loop/start-agent.ts'
import type { Control, LoopEvent, RunEnd } from '../../loop/types.ts'
import { policyFor } from '../../presets/index.ts'
import type { Io } from '../io.ts'
import { keepPrompt } from './prompt-of.ts'

export interface RunSetup extends LoopOptions {
  readonly workspace: string
  readonly dir: string
  readonly loaded: Loaded
  readonly resume: boolean
  readonly agent: StartAgent
  readonly allowRemote: boolean
  tell(event: LoopEvent): void
  readonly menu?: NonNullable<Host['menu']>
  /** A second Ctrl+C: everything is ended, and so is this process. */
  onKilled(end: RunEnd): void
}

/** One run from its opening to its end, with interrupts and the control socket around it. */
export async function startRun(setup: RunSetup, io: Io): Promise<RunEnd> {
  const { tell, loaded, dir } = setup
  const host = openLocalHost({ ...setup, env: io.env, now: io.now, tell: hear })
  const engine = localEngine(host.memory)
  const unwatch = watchInterrupts({
    mode: loaded.config.run.interrupt,
    agentWorks: engine.agentWorks,
    onFirst(message, now) {
      tell({ type: 'interrupted', message, now, at: io.now() })
      engine.send({ kind: 'interrupt', by: 'a person', reason: 'a person interrupted the run' }, now)
    },
    onSecond() {
      // An end that was there before is not taken back, whatever is still to be told about it.
      const killed = host.state.ended === undefined || !begun
      if (begun && killed)
        host.append([
          endWithout(host.state, 'interrupted', 'interrupt', 'a person ended the run and the agent at once'),
        ])
      const end = { ...(begun ? endOf(host.state) : nothingBegun()), killed }
      tell({ type: 'ended', end, at: io.now() })
      host.close()
      setup.onKilled(end)
    },
  })
  let control: Promise<{ close(): void }> | undefined
  let begun = false
  try {
    const end = await runLoop(engine, host, setup)
    const { notify } = await import('../../loop/notify/index.ts')
    const ways = host.state.config?.run.notify ?? loaded.config.run.notify
    const problems = await notify(end, ways, { ...io, workspace: setup.workspace })
    for (const text of problems) tell({ type: 'warning', text, at: io.now() })
    tell({ type: 'ended', end, at: io.now() })
    return end
  } finally {
    unwatch()
    ;(await control)?.close()
    host.close()
  }

  /** The socket opens once there is a run that can be spoken to. */
  function hear(event: LoopEvent): void {
    if (event.type === 'started') {
      begun = true
      control = open(event.run, event.resumed)
    }
    tell(event)
  }

  async function open(run: string, resumed: boolean): Promise<{ close(): void }> {
    if (!resumed) keepPrompt(dir, run, setup.prompt)
    const opened = await openControl({
      dir,
      run,
      ...(host.state.startedAt === undefined ? {} : { startedAt: host.state.startedAt }),
      allowRemote: setup.allowRemote,
      onControl(asked) {
        const { state } = host
        const why = state.config === undefined ? undefined : futile(asked, state, policyFor(state.config))
        if (why !== undefined) return refused(asked, why)
        tell({ type: 'control', control: asked, at: io.now() })
        engine.send(asked)
        return { taken: true, text: takenWords(asked) }
      },
      onRefused: refused,
      status: () => ({ run, iterations: host.state.iterations, running: host.state.running }),
      agent: () => host.state.running?.agent,
    })
    if (opened.problem !== undefined) tell({ type: 'warning', text: opened.problem, at: io.now() })
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
