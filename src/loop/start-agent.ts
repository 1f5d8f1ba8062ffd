import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hiddenPaths, hidesText } from '../../packages/exitgate/src/run/hidden-paths.ts'
import { LAUNCHERS } from '../agents/launch/index.ts'
import { MCP_SERVER, type McpServer } from '../agents/launch/launcher.ts'
import type { State } from '../core/journal/events.ts'
import type { AgentProcess } from '../core/run.ts'
import type { Transcript } from '../core/types.ts'
import { type Address, environmentOf } from '../inbox/attempt.ts'
import { closeInbox, openInbox, readInbox } from '../inbox/inbox.ts'
import { withInbox } from '../inbox/merge.ts'
import { writeCopies } from '../journal/readable-copy.ts'
import { isInside, realHome } from '../system/sandbox/sandbox.ts'
import { type AcpTask, runAcp } from './agent/acp.ts'
import type { AgentCall, AgentHooks, AgentRun } from './agent/call.ts'
import { atEndOfSession, findModel } from './agent/find-model.ts'
import { runAgent } from './agent/run-agent.ts'
import type { AgentStart } from './host.ts'
import { budgetLeft } from './limits/budget.ts'
import { type UnnamedModel, usdOf } from './limits/cost.ts'
import { loginOf } from './preflight/agent.ts'
import { agentNeeds, sandboxFor } from './sandbox.ts'

/** The configured agent: its command, and the format of its output. */
export interface ConfiguredAgent {
  /** The command without the prompt, for display. */
  readonly shown: readonly string[]
  readonly format: string
  /** Works instead while this one is out of quota or keeps failing. */
  readonly fallback?: ConfiguredAgent
  /** The MCP server with the exit_signal tool, if the agent gets one. */
  readonly mcp?: McpServer
  command(start: { readonly prompt: string; readonly promptFile: string; readonly session?: string }): {
    readonly argv: readonly string[]
    readonly stdin?: string
    readonly env?: Readonly<Record<string, string>>
  }
}

interface StartOptions extends AgentStart, AgentHooks {
  readonly run: string
  readonly now: number
  readonly workspace: string
  readonly dir: string
  readonly state: State
  readonly env: Readonly<Record<string, string | undefined>>
  readonly warn: (texts: readonly string[]) => void
  readonly signal: AbortSignal
}

/** An agent that failed in the sandbox: what it did not find there, and you would find outside. */
function hiddenFrom({ ended, code, stderr }: AgentProcess, call: AgentCall): readonly string[] {
  const { argv, cwd, env, sandbox } = call
  if (sandbox === undefined || ended !== 'exit' || code === 0) return []
  const outside = (path: string) => resolve(cwd, path.replace(/^~(?=\/)/, realHome(env)))
  const shown = argv.map(outside)
  const isHidden = (path: string) => existsSync(path) && !isInside(cwd, path) && !shown.includes(path)
  const paths = hiddenPaths(stderr, outside, isHidden)
  return paths.length === 0 ? [] : [hidesText(paths)]
}

const MEGABYTE = 1024 * 1024
const MINUTE = 60_000

/** Starts the agent once, with its prompt on standard input and in a file, and waits until it ends. Its output is stored next to the journal. */
export async function startAgent(agent: ConfiguredAgent, options: StartOptions): Promise<AgentRun> {
  const { run, iteration, attempt, prompt, session, workspace, dir, state } = options
  const { config } = state
  if (config === undefined) throw new Error('a run has a configuration')
  const folder = join(dir, 'transcripts')
  const promptFile = keepPrompt(join(folder, run), `${iteration}.${attempt}.prompt.md`, options)
  const { argv, stdin, env = {} } = agent.command({ prompt, promptFile, ...(session === undefined ? {} : { session }) })
  const { iterationMinutes, silenceMinutes, graceSeconds, transcriptMegabytes, maxWaitMinutes } = config.run
  const { timeoutMinutes = iterationMinutes, activityTimeoutMinutes = silenceMinutes } = config.breaker
  const left = budgetLeft(state, config.limits, options.now).ms?.left ?? Number.POSITIVE_INFINITY
  const inbox = openInbox(dir, { run, iteration })
  const call: AgentCall = {
    run,
    iteration,
    attempt,
    argv,
    cwd: workspace,
    env: { ...inherited(options.env), ...env, ...ownVariables(options, promptFile, inbox) },
    ...(stdin === undefined ? {} : { stdin }),
    format: agent.format,
    folder,
    deadlineMs: Math.min(timeoutMinutes * MINUTE, left),
    silenceMs: activityTimeoutMinutes * MINUTE,
    onceHeard: config.breaker.activityTimeoutMinutes !== undefined,
    retryMs: maxWaitMinutes * MINUTE,
    graceMs: graceSeconds * 1000,
    keepBytes: transcriptMegabytes * MEGABYTE,
  }
  const { setup } = sandboxFor(config, { workspace, stateDir: dir, env: options.env })
  const needs = setup && agentNeeds(setup, { argv, env: call.env, stateDir: dir, inbox: inbox.inbox, promptFile })
  const sandboxed = setup && needs ? { ...call, sandbox: { setup, needs } } : call
  const { permissions, prices } = config.run
  const task: AcpTask = {
    prompt,
    permissions,
    servers: serversOf(agent, inbox),
    ...(session === undefined ? {} : { session }),
  }
  const usdIn = (usage: Transcript['usage'], model?: UnnamedModel): { readonly usd?: number } => {
    const usd = usdOf(usage, prices, model)
    return usd === undefined ? {} : { usd }
  }
  const hooks: AgentHooks = {
    onStart: options.onStart,
    onText: options.onText,
    onUsage: (usage) => options.onUsage?.({ ...usage, ...usdIn(usage) }),
  }
  const { process, transcript } =
    agent.format === 'acp'
      ? await runAcp(sandboxed, task, hooks, options.signal)
      : await runAgent(sandboxed, hooks, options.signal)
  const sent = readInbox(inbox.inbox, inbox)
  closeInbox(inbox.inbox)
  const { ms: _ms, ...counted } = withSessionFile(transcript, call)
  // A command that its own sandbox refused is in no event.
  const ownSandbox = needs && process.usedTools !== true ? inSessionFile('sandboxError', transcript, call) : undefined
  const launcher = LAUNCHERS.find(({ name }) => name === agent.format)
  const isEnded = /^(?:deadline|silence)$/.test(process.ended)
  const noLogin = isEnded && launcher !== undefined && loginOf(launcher, call.env)?.seen === false
  const usage = { ...counted, ...usdIn(counted, unnamedModel({ ...transcript, usage: counted }, call)) }
  return {
    process: {
      ...process,
      usage,
      problems: [...process.problems, ...sent.refused, ...hiddenFrom(process, sandboxed)],
      ...(ownSandbox && { ownSandbox }),
      ...(noLogin && { noLogin }),
    },
    transcript: withInbox(transcript, sent.signals),
  }
}

/** An agent that was ended may have written to its session file what it didn't print. */
function withSessionFile(transcript: Transcript, call: AgentCall): Transcript['usage'] {
  const { format, usage } = transcript
  const counts = usage.tokens === undefined ? inSessionFile('usage', transcript, call) : undefined
  if (counts === undefined) return usage
  const tokens = counts.input + counts.cachedInput + counts.output
  return { ...usage, tokens, models: { [format]: counts } }
}

function inSessionFile<Name extends 'usage' | 'sandboxError'>(name: Name, transcript: Transcript, call: AgentCall) {
  const { format, session } = transcript
  const launcher = LAUNCHERS.find((one) => one.name === format)
  if (launcher === undefined || session === undefined) return undefined
  return atEndOfSession(launcher, name, { args: call.argv, workspace: call.cwd, env: call.env, session })
}

/** The model is looked up only if it decides the price. */
function unnamedModel({ format, usage, session }: Transcript, { argv, cwd, env }: AgentCall): UnnamedModel {
  const launcher = LAUNCHERS.find((one) => one.name === format)
  const isNeeded = (usage.usd ?? 0) === 0 && Object.hasOwn(usage.models ?? {}, format)
  if (launcher === undefined || !isNeeded) return { agent: format }
  const started = { args: argv, workspace: cwd, env, ...(session === undefined ? {} : { session }) }
  return { agent: format, model: findModel(launcher, started) }
}

/** ACP passes a server's environment as a list of names and values. */
function serversOf({ mcp }: ConfiguredAgent, inbox: Address): AcpTask['servers'] {
  if (mcp === undefined) return []
  const env = Object.entries(environmentOf(inbox)).map(([name, value]) => ({ name, value }))
  return [{ name: MCP_SERVER, command: mcp.command, args: mcp.args, env }]
}

/** One copy next to the journal, and one in the workspace, where a sandboxed agent can read it. */
function keepPrompt(folder: string, name: string, { workspace, prompt, warn }: StartOptions): string {
  const kept = join(folder, name)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(kept, prompt, { mode: 0o600 })
  } catch (error) {
    warn([`The prompt could not be saved to ${kept}: ${(error as Error).message}.`])
  }
  return writeCopies(workspace, { 'prompt.md': prompt }).length === 0 ? join(workspace, '.exitgate', 'prompt.md') : kept
}

/** The user's environment, without exitgate's own variables. */
function inherited(env: StartOptions['env']): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('EXITGATE_'),
  )
  return Object.fromEntries(kept)
}

function ownVariables({ state }: StartOptions, promptFile: string, inbox: Address): Record<string, string> {
  const { phase } = state.counters
  const task = state.running?.task
  return {
    ...environmentOf(inbox),
    EXITGATE_PROMPT_FILE: promptFile,
    ...(phase === undefined ? {} : { EXITGATE_PHASE: phase }),
    ...(task === undefined ? {} : { EXITGATE_TASK: task }),
  }
}
