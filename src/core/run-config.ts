export interface RunConfig {
  /** A supported agent. A command after `--` on the command line overrides it. */
  readonly agent?: string
  /** Any command as the agent, as a list of arguments. */
  readonly command: readonly string[]
  /** Extra arguments for the agent, such as the model or permissions. */
  readonly agentArgs: readonly string[]
  /** The agent that works while the first one is out of quota or keeps failing. */
  readonly fallbackAgent?: string
  /** Its model. Without `fallbackAgent`, another model of the same agent. */
  readonly fallbackModel?: string
  /** Its arguments. Absent in journals of older versions. */
  readonly fallbackArgs?: readonly string[]
  /** Permissions of an agent that uses the Agent Client Protocol. Other agents have their own options. */
  readonly permissions: Permissions
  /** Prices by model, or by the agent's name. They replace the built-in list prices. */
  readonly prices: Readonly<Record<string, Price>>
  /** File with the prompt, relative to the workspace. */
  readonly prompt?: string
  /** Command that prepares a fresh worktree or clone before its baseline, such as `npm ci`. */
  readonly setup?: string
  /** Give the agent the exit_signal tool over MCP. */
  readonly mcp: boolean
  /** Output format of the agent. `auto` detects it. */
  readonly format: string
  /** Minutes after which an iteration is stopped and counts as failed. */
  readonly iterationMinutes: number
  /** Minutes without output after which an iteration is stopped. */
  readonly silenceMinutes: number
  /** Whether the first Ctrl+C lets the current iteration finish. */
  readonly interrupt: 'graceful' | 'immediate'
  /** Seconds between asking the agent to stop and killing it. */
  readonly graceSeconds: number
  /** Continue the same agent session in every iteration. */
  readonly continueSession: boolean
  /** Longest wait for a provider's rate limit. If it lasts longer, the run ends. */
  readonly maxWaitMinutes: number
  /** Retries in a row of an iteration when the provider is overloaded. */
  readonly overloadRetries: number
  /** How long a question at the terminal waits for an answer. Absent in journals of older versions. */
  readonly questionMinutes?: number
  /** Output to keep per iteration. */
  readonly transcriptMegabytes: number
  /** Number of runs to keep output for. */
  readonly keepRuns: number
  /** Commit the work of each iteration to a separate branch. */
  readonly checkpoint: boolean
  readonly notify: NotifyConfig
}

export type Permissions = 'reject' | 'allow-edits' | 'allow-all'

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Price of cached input. Without it, cached input costs as much as other input. */
  readonly cachedInput?: number
}

/** What an alert can be about. */
export const ALERT_KINDS = ['needs-you', 'waiting', 'breaker', 'end'] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

/** Journals have secrets only as hashes, see config/notify-secrets.ts. */
export interface NotifyConfig {
  /** Which alerts are sent. Absent in journals of older versions: all. */
  readonly on?: readonly AlertKind[]
  readonly bell: boolean
  readonly desktop: boolean
  /** URL that receives the alert as JSON in a POST request. */
  readonly webhook?: string
  /** URL of an incoming webhook of Slack. */
  readonly slack?: string
  /** Topic of ntfy.sh, or the URL of a topic. */
  readonly ntfy?: string
  readonly telegramToken?: string
  readonly telegramChat?: string
  /** Any command; it gets the alert as JSON on standard input. */
  readonly command?: string
}
