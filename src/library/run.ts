import { fileURLToPath } from 'node:url'
import type { ProjectConfig } from '../config/project-config.ts'
import type { LimitsConfig } from '../core/config.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import { type OwnAgent, ownPartsOf } from '../core/own-parts.ts'
import type { RunEnd } from '../core/run.ts'
import type { OneRun } from '../loop/one-run.ts'
import { type GateOptions, libraryPlace } from './gate.ts'

export interface RunOptions extends GateOptions {
  /** A supported agent (claude, codex, gemini, opencode, pi, acp and others), or one you defined. */
  readonly agent?: string | OwnAgent
  /** Any command as the agent. It gets the prompt on stdin. */
  readonly command?: readonly string[]
  /** Extra arguments for `agent`, such as the model or permissions. */
  readonly args?: readonly string[]
  readonly prompt: string
  readonly task?: string
  readonly limits?: LimitsConfig
  /** Continue the unfinished run of this workspace. */
  readonly resume?: boolean
  /** Aborting it ends the agent and the run. The journal records this. */
  readonly signal?: AbortSignal
  /** Environment variables of the agent. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** A run in progress: iterate over its events, or await its result. */
export interface Run extends AsyncIterable<LoopEvent, RunEnd> {
  readonly result: Promise<RunEnd>
}

/**
 * Runs an agent until its work is verified, a limit is reached, or it is stuck. Leaving the loop early ends the run.
 *
 * ```ts
 * const running = run({ dir: '.', agent: 'claude', prompt: 'Fix the failing test.', limits: { iterations: 10 } })
 * for await (const event of running) if (event.type === 'decided') console.log(event.verdict.reason)
 * const { outcome } = await running.result
 * ```
 */
export function run(options: RunOptions): Run {
  const events: LoopEvent[] = []
  let wake = (): void => {}
  let opened: OneRun | undefined
  let stopped = false
  const stop = (): void => {
    if (stopped) return
    stopped = true
    opened?.interrupt('stopped by the program that started the run', true)
  }
  const result = start()
  // The error reaches callers that only iterate over the events, so it must not be unhandled here.
  result.catch(() => {})
  return {
    result,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const event = events.shift()
          if (event !== undefined) yield event
          if (event?.type === 'ended') break
          if (event !== undefined || events.length > 0) continue
          const more = new Promise<boolean>((resolve) => {
            wake = () => resolve(true)
          })
          if (!(await Promise.race([more, result.then(() => events.length > 0)]))) break
        }
        return await result
      } finally {
        stop()
        await result.catch(() => {})
      }
    },
  }

  async function start(): Promise<RunEnd> {
    const { signal, prompt, task, env = process.env, resume = false } = options
    if (typeof prompt !== 'string' || prompt.trim() === '')
      throw new TypeError(`prompt must be a non-empty string, not ${JSON.stringify(prompt) ?? 'undefined'}.`)
    const { workspace, stateDir, loaded: given } = libraryPlace(projectOf(options))
    const { agentOf } = await import('../loop/agent/choose-agent.ts')
    const { withFoundPlan } = await import('../loop/found-plan.ts')
    const { markedFor } = await import('../loop/clear-leftovers.ts')
    const { openRun } = await import('../loop/one-run.ts')
    const { loaded } = resume ? { loaded: given } : withFoundPlan(given, workspace, [prompt, task ?? ''])
    const agent = agentOf({
      config: loaded.config.run,
      own: ownPartsOf(loaded.config).agents,
      workspace,
      env,
      program: fileURLToPath(new URL('./cli/cli.cjs', import.meta.url)),
    })
    const emit = (event: LoopEvent): void => {
      events.push(event)
      wake()
    }
    const setup = { workspace, dir: stateDir, loaded, resume, agent, prompt, emit, allowRemote: false }
    const io = { env, platform: process.platform, stderr: { write: () => {}, isTTY: false }, now: Date.now }
    // This process may have several runs, and start other programs.
    opened = markedFor(stateDir, () => openRun({ ...setup, ...(task === undefined ? {} : { task }) }, io))
    signal?.addEventListener('abort', stop, { once: true })
    if (stopped || signal?.aborted) {
      stopped = false
      stop()
    }
    try {
      return await opened.end
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}

/** Moves the shorthand options into the `run` section of the configuration. */
function projectOf(options: RunOptions): GateOptions {
  const {
    agent,
    command,
    args,
    prompt: _prompt,
    task: _task,
    resume: _resume,
    signal: _signal,
    env: _env,
    ...rest
  } = options
  const own = typeof agent === 'object' ? agent : undefined
  const agents: ProjectConfig['agents'] = own === undefined ? rest.agents : [own, ...(rest.agents ?? [])]
  const name = typeof agent === 'object' ? agent.name : agent
  return {
    ...rest,
    ...(agents === undefined ? {} : { agents }),
    run: {
      ...rest.run,
      ...(name === undefined ? {} : { agent: name }),
      ...(command === undefined ? {} : { command }),
      ...(args === undefined ? {} : { agentArgs: args }),
    },
  }
}
