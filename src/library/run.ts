import { fileURLToPath } from 'node:url'
import type { LimitsConfig } from '../core/config.ts'
import type { LoopEvent } from '../core/loop-event.ts'
import { type OwnAgent, ownPartsOf } from '../core/own-parts.ts'
import type { RunEnd } from '../core/run.ts'
import { type LibraryOptions, libraryPlace } from './gate.ts'

export interface RunOptions extends LibraryOptions {
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
  let feed: ReadableStreamDefaultController<LoopEvent> | undefined
  const stop = new AbortController()
  const events = new ReadableStream<LoopEvent>({
    start: (controller) => {
      feed = controller
    },
    async cancel() {
      feed = undefined
      stop.abort()
      await result.catch(() => {})
    },
  })
  const result = start().finally(() => feed?.close())
  // The error reaches callers that only iterate over the events, so it must not be unhandled here.
  result.catch(() => {})
  return {
    result,
    async *[Symbol.asyncIterator]() {
      yield* events
      return await result
    },
  }

  async function start(): Promise<RunEnd> {
    const { agent, command, args, prompt, task, resume = false, signal, env = process.env, ...project } = options
    if (typeof prompt !== 'string' || prompt.trim() === '')
      throw new TypeError(`prompt must be a non-empty string, not ${JSON.stringify(prompt) ?? 'undefined'}.`)
    const own = typeof agent === 'object' ? agent : undefined
    const named = own?.name ?? (agent as string | undefined)
    const {
      workspace,
      stateDir,
      loaded: given,
    } = libraryPlace({
      ...project,
      ...(own === undefined ? {} : { agents: [own, ...(project.agents ?? [])] }),
      run: {
        ...project.run,
        ...(named === undefined ? {} : { agent: named }),
        ...(command === undefined ? {} : { command }),
        ...(args === undefined ? {} : { agentArgs: args }),
      },
    })
    const { agentOf } = await import('../loop/agent/choose-agent.ts')
    const { withFoundPlan } = await import('../loop/found-plan.ts')
    const { markedFor } = await import('../loop/clear-leftovers.ts')
    const { openRun } = await import('../loop/one-run.ts')
    const { loaded } = resume ? { loaded: given } : withFoundPlan(given, workspace, [prompt, task ?? ''])
    const chosen = agentOf({
      config: loaded.config.run,
      own: ownPartsOf(loaded.config).agents,
      workspace,
      env,
      program: fileURLToPath(new URL('./cli/cli.cjs', import.meta.url)),
    })
    const emit = (event: LoopEvent) => feed?.enqueue(event)
    const setup = { workspace, dir: stateDir, loaded, resume, agent: chosen, prompt, emit, allowRemote: false }
    const io = { env, platform: process.platform, stderr: { write: () => {}, isTTY: false }, now: Date.now }
    // This process may have several runs, and start other programs.
    const opened = markedFor(stateDir, () => openRun({ ...setup, ...(task === undefined ? {} : { task }) }, io))
    const stopped = AbortSignal.any(signal === undefined ? [stop.signal] : [stop.signal, signal])
    const interrupt = (): void => opened.interrupt('stopped by the program that started the run', true)
    if (stopped.aborted) interrupt()
    stopped.addEventListener('abort', interrupt)
    try {
      return await opened.end
    } finally {
      stopped.removeEventListener('abort', interrupt)
    }
  }
}
