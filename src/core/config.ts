import type { BreakerLimits, Calibration, Learning } from './types.ts'

/** The effective configuration: every value present, whoever set it. Written by hand so that the public types stay readable. */
export interface Config {
  /** One of those we ship, or one that `extensions` brings. */
  readonly preset: string
  /** Hash of the code that the configuration file brought along: presets, rules, checks and agents of the project's own. */
  readonly extensions?: string
  readonly taskType?: string
  /** Path of the plan, relative to the workspace: a checklist, stories in JSON, or a folder of task files. */
  readonly plan?: string
  /** Headings of plan sections whose open items do not count. */
  readonly optionalSections: readonly string[]
  /** Checks that must answer `yes` in the `default` preset. Whatever else was gathered must not answer `no`. */
  readonly required: readonly string[]
  /** A run that changed nothing has proven nothing. */
  readonly requireChange: boolean
  readonly limits: LimitsConfig
  /** Claims in a row that were refused, before the run ends as stuck. */
  readonly hollowClaims: number
  /** Claims in a row that no check could answer, before the run ends as unverifiable. */
  readonly unverifiable: number
  /** Failures in a row of the same task, before the run ends as stuck. */
  readonly sameTask: number
  /** Returns to an earlier tree within the last twelve iterations, before the run ends as stuck. */
  readonly oscillation: number
  /** Iterations in a row in which the agent named a blocker, before a person is asked. */
  readonly blocked: number
  /** Iterations in a row that only asked for permission and changed nothing, before a person is asked. */
  readonly asking: number
  /** Let EXIT_OVERRIDE: true with EXIT_CONFIDENCE: HIGH skip the threshold (never failing tests or an open breaker). */
  readonly agentOverride: boolean
  readonly breaker: BreakerConfig
  /** Text inside <promise> that counts as a claim. */
  readonly promise: string
  /** Patterns of the user's own, counted as phrases. */
  readonly patterns: readonly string[]
  /** Write the preset's own state and log files into the workspace. */
  readonly files: boolean
  /** Command lines; how they are run is the evidence room's business. */
  readonly commands: CommandsConfig
  readonly baseline: BaselineConfig
  /** How `exitgate run` drives the agent. */
  readonly run: RunConfig
  readonly evidence: EvidenceConfig
  readonly sandbox: SandboxConfig
  readonly learning: Learning
  /** Overrides for one kind of task, chosen by taskType. */
  readonly taskTypes: Readonly<Record<string, ConfigPatch>>
  readonly cub: CubConfig
  readonly prp: PrpConfig
  readonly doyaken: DoyakenConfig
  readonly blackbox: BlackboxConfig
  readonly gsd: GsdConfig
  readonly ralph: RalphConfig
  readonly calibration?: Calibration
}

export type PresetName = 'default' | 'cub' | 'prp' | 'doyaken' | 'blackbox' | 'gsd' | 'ralph'

export interface LimitsConfig {
  readonly iterations?: number
  readonly minutes?: number
  readonly usd?: number
  readonly tokens?: number
  readonly callsPerHour?: number
}

export interface BreakerConfig extends BreakerLimits {
  readonly enabled: boolean
  readonly halfOpenAt: number
  readonly phases: Readonly<Record<string, BreakerLimits>>
  readonly outputDecline?: number
  readonly recovery: 'manual' | 'cooldown' | 'progress'
  readonly cooldownMinutes: number
  readonly autoReset: boolean
  readonly timeoutMinutes?: number
  readonly activityTimeoutMinutes?: number
  /** What to do when it opens and nobody is at a terminal. */
  readonly onOpen: 'stop' | 'wait'
}

export interface CommandsConfig {
  readonly test?: string
  readonly build?: string
  readonly lint?: string
  readonly typecheck?: string
  /** A check under a name of your own: exit code 0 is a pass, and `required` can name it. */
  readonly [name: string]: string | undefined
}

export interface RunConfig {
  /** One of the agents exitgate knows; the command line behind `--` goes before it. */
  readonly agent?: string
  /** Any command as the agent, word by word. */
  readonly command: readonly string[]
  /** Words for the agent's command line, as the user chose them: model, permissions. */
  readonly agentArgs: readonly string[]
  /** What an agent may do that asks through the Agent Client Protocol; others have options of their own for that. */
  readonly permissions: Permissions
  /** Prices by model, for agents that count tokens but not money. */
  readonly prices: Readonly<Record<string, Price>>
  /** File with the user's prompt, relative to the workspace. */
  readonly prompt?: string
  /** Command line that makes a fresh worktree or clone ready to work in, before its baseline: `npm ci` and the like. */
  readonly setup?: string
  /** Give the agent the tool by which it says where it stands. */
  readonly mcp: boolean
  /** What the agent prints; `auto` finds out. */
  readonly format: string
  /** Minutes after which an iteration is cut and counts as failed. */
  readonly iterationMinutes: number
  /** Minutes of silence after which the same happens. */
  readonly silenceMinutes: number
  /** Whether the first Ctrl+C lets the agent finish its iteration. */
  readonly interrupt: 'graceful' | 'immediate'
  /** Between the polite and the hard signal. */
  readonly graceSeconds: number
  /** Keep the agent's session from one iteration to the next. */
  readonly continueSession: boolean
  /** Longest wait for a provider's limit to end; a later end ends the run. */
  readonly maxWaitMinutes: number
  /** Starts of the same iteration that may fail at an overloaded provider in a row. */
  readonly overloadRetries: number
  /** Most output kept of one iteration. */
  readonly transcriptMegabytes: number
  /** Runs of which the output is kept. */
  readonly keepRuns: number
  /** Commit the work of each iteration to a branch of its own. */
  readonly checkpoint: boolean
  readonly notify: NotifyConfig
}

export type Permissions = 'reject' | 'allow-edits' | 'allow-all'

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  /** For input that the provider had in its cache; as dear as other input when it is not said. */
  readonly cachedInput?: number
}

export interface NotifyConfig {
  readonly bell: boolean
  readonly desktop: boolean
  /** Address that gets a POST with the ending as JSON. */
  readonly webhook?: string
}

/** Where the agent and the checks run, and what they may read or change outside the project. */
export interface SandboxConfig {
  readonly mode: 'auto' | 'required' | 'off' | 'docker' | 'podman'
  readonly network: 'all' | 'agent' | 'none'
  readonly image?: string
  readonly read: readonly string[]
  readonly write: readonly string[]
}

export interface BaselineConfig {
  /** Tests by name that may fail: a person looked at them. */
  readonly accept: readonly string[]
  /** Every test that already fails in the baseline may go on failing. */
  readonly acceptFailing: boolean
}

export interface EvidenceConfig {
  /** How often the tests run again on the same tree when the agent claims to be done. */
  readonly confirmRuns: number
  /** Ask whether the agent's new tests fail without its other changes. */
  readonly redProof: boolean
  readonly maximumMinutes: number
  /** Environment variables that evidence commands may see although they look like secrets or like the agent's. */
  readonly passEnv: readonly string[]
  /** Files that must exist and not be empty. */
  readonly artifacts: readonly string[]
  readonly documents: boolean
  /** Command of a second reviewer, a model or a person. */
  readonly review?: string
  readonly quarantine: readonly { readonly test: string; readonly until: string; readonly reason: string }[]
  /** Findings of tampering that a person has allowed. */
  readonly allow: readonly { readonly kind?: string; readonly file?: string; readonly reason: string }[]
}

export interface CubConfig {
  /** False falls back to the promise tag alone, as before the gate existed. */
  readonly enabled: boolean
  readonly threshold: number
  readonly requireExplicitSignal: boolean
  /** How many of the indicators must be words; 0 is the plain sum of the original. */
  readonly minTextIndicators: number
  readonly patterns: readonly string[]
  readonly evidence: Readonly<Record<'tests' | 'build' | 'criteria' | 'cleanGit', boolean>>
}

export interface PrpConfig {
  readonly greenRuns: number
  readonly maxRefactorIterations: number
  readonly requiredDocs: number
  readonly requireAdr: boolean
  readonly requireC4: boolean
  readonly requireDiagrams: boolean
  /** Run the QA phase after DOCUMENT. */
  readonly qa: boolean
  /** Rejections by QA after which a person is asked. */
  readonly qaAttempts: number
  readonly sessionDir: string
}

export interface DoyakenConfig {
  readonly threshold: number
  readonly lowConfidenceBelow: number
  readonly lowConfidenceWarn: number
  /** `booster`: without a block, words plus a green check may still complete. */
  readonly structuredSignal: 'required' | 'booster'
  /** False is the original's score alone. */
  readonly dualCondition: boolean
  readonly weights: {
    readonly block: number
    readonly phaseComplete: number
    readonly changed: number
    readonly taskInDone: number
    readonly keywords: number
    readonly testsPass: number
  }
}

export interface BlackboxConfig {
  readonly minConfidence: number
  readonly minCompletion: number
  readonly maxErrors: number
  readonly stagnationLoops: number
}

export interface GsdConfig {
  /** Whether tests that could not be read satisfy the gate. `pass` is what the original's code did. */
  readonly unknownTests: 'fail' | 'pass'
}

export interface RalphConfig {
  readonly testOnlyLoops: number
  readonly doneSignals: number
  readonly completionIndicators: number
  readonly safetyIndicators: number
  readonly window: number
  readonly allowedTools: readonly string[]
}

type Patch<T> = {
  readonly [K in keyof T]?: T[K] extends readonly unknown[] ? T[K] : T[K] extends object ? Patch<T[K]> : T[K]
}
/** Any part of a configuration: what a file, the environment, the flags or a preset may set. */
export type ConfigPatch = Patch<Omit<Config, 'taskTypes'>> & { readonly taskTypes?: Readonly<Record<string, object>> }
