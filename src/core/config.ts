import type { Expects, ProofMode } from '../../packages/exitgate/src/checks/expects.ts'
import type { RunConfig } from './run-config.ts'
import type { BreakerLimits, Calibration, Learning } from './types.ts'

/** The effective configuration, with every default filled in. Written by hand so that the public types stay readable. */
export interface Config {
  /** A built-in preset, or one that `extensions` adds. */
  readonly preset: string
  /** Hash of the code in the configuration file: the project's own presets, rules, checks and agents. */
  readonly extensions?: string
  readonly taskType?: string
  /** Path of the plan, relative to the workspace: a checklist, stories in JSON, or a folder of task files. */
  readonly plan?: string
  /** Headings of plan sections whose open items don't count. */
  readonly optionalSections: readonly string[]
  /** Checks that must pass in the `default` preset. No other check may fail. */
  readonly required: readonly string[]
  /** Whether a run must change something before it can complete. */
  readonly requireChange: boolean
  readonly limits: LimitsConfig
  /** Rejected claims in a row after which the run ends as stuck. */
  readonly hollowClaims: number
  /** Claims in a row that no check could verify, after which the run ends. */
  readonly unverifiable: number
  /** Failures in a row on the same task after which the run ends as stuck. */
  readonly sameTask: number
  /** Returns to an earlier state of the files within 12 iterations after which the run ends as stuck. */
  readonly oscillation: number
  /** Iterations in a row with a reported blocker after which the run stops and asks the user. */
  readonly blocked: number
  /** Iterations in a row that only ask the user, or for permission, after which the run stops and shows the question. */
  readonly asking: number
  /** Let EXIT_OVERRIDE: true with EXIT_CONFIDENCE: HIGH skip the threshold, but never failing tests or an open breaker. */
  readonly agentOverride: boolean
  readonly breaker: BreakerConfig
  /** The text inside <promise> that counts as a claim. */
  readonly promise: string
  /** The user's own completion phrases, as regular expressions. */
  readonly patterns: readonly string[]
  /** Write the preset's own state and log files into the workspace. */
  readonly files: boolean
  /** Commands that exitgate runs as checks. */
  readonly commands: CommandsConfig
  readonly baseline: BaselineConfig
  /** How `exitgate run` runs the agent. */
  readonly run: RunConfig
  readonly evidence: EvidenceConfig
  readonly sandbox: SandboxConfig
  readonly learning: Learning
  /** Overrides by type of task. `taskType` selects one. */
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
  /** What to do when the breaker opens and no terminal is attached. */
  readonly onOpen: 'stop' | 'wait'
}

export interface CommandsConfig {
  readonly test?: string
  readonly build?: string
  readonly lint?: string
  readonly typecheck?: string
  /** Runs some of the tests, after iterations without a claim. */
  readonly quick?: string
  /** A check of your own. It passes with exit code 0, and you can list it in `required`. */
  readonly [name: string]: string | undefined
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
  /** Names of tests that may fail because the user accepted them. */
  readonly accept: readonly string[]
  /** Accept every test that already fails in the baseline. `the-rest`: for one of several tasks, except those that it names. */
  readonly acceptFailing: boolean | 'the-rest'
}

export interface EvidenceConfig {
  /** Extra test runs on the same code when the agent claims to be done. */
  readonly confirmRuns: number
  /** Whether a test has to fail without the change. Absent in journals of older versions. */
  readonly proof?: ProofMode
  /** Whether each item of the plan needs a test that proves it. Absent in journals of older versions. */
  readonly requirements?: 'report' | 'required'
  /** What to do about tests that expect something else now. Absent in journals of older versions. */
  readonly changedTests?: 'report' | 'ask' | 'block'
  /** Runs before each run of the tests, for services that they share. */
  readonly reset?: string
  /** What the work should show; read from the task if absent. */
  readonly expects?: Expects
  /** On a claim, check that tests fail when exitgate breaks them. Absent in journals of older versions. */
  readonly canary?: boolean
  /** On a claim, look for changed source that answers the tests' examples only. Absent in journals of older versions. */
  readonly specialCased?: 'block' | 'warn' | 'off'
  /** On a claim, make small mistakes in the changed functions and see whether tests notice. Absent in older journals. */
  readonly mutation?: 'changed' | 'off'
  /** The longest time for all mutants; follows the time of the tests by default. */
  readonly mutationMinutes?: number
  readonly maximumMinutes: number
  /** If the tests took longer than this at the start, only related tests run without a claim. Absent in older journals. */
  readonly quickAfterMinutes?: number
  /** If the tests take longer than this, the second run on a claim is limited to test files that the change can reach. */
  readonly confirmAllMinutes?: number
  /** Check claims in a private copy of the project, without files that git ignores. Absent in journals of older versions. */
  readonly cleanRoom?: 'auto' | 'required' | 'off'
  /** Ignored files that the tests need, as paths or globs. The clean room gets them as they were before the first iteration. */
  readonly include?: readonly string[]
  /** Environment variables to pass to checks although they look like secrets or belong to the agent. */
  readonly passEnv: readonly string[]
  /** Files that must exist and must not be empty. */
  readonly artifacts: readonly string[]
  readonly documents: boolean
  /** JSON file with commands and their expected output. */
  readonly examples?: string
  /** Command of a second reviewer. */
  readonly review?: string
  readonly quarantine: readonly (string | { readonly test: string; readonly until: string; readonly reason: string })[]
  /** Tampering findings that the user accepts. */
  readonly allow: readonly { readonly kind?: string; readonly file?: string; readonly reason: string }[]
}

export interface CubConfig {
  /** If false, the promise tag alone decides, as in cub before its exit gate. */
  readonly enabled: boolean
  readonly threshold: number
  readonly requireExplicitSignal: boolean
  /** How many of the indicators must be phrases. 0 counts all alike, as in the original. */
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
  /** Rejections by QA after which the run stops and asks the user. */
  readonly qaAttempts: number
  readonly sessionDir: string
}

export interface DoyakenConfig {
  readonly threshold: number
  readonly lowConfidenceBelow: number
  readonly lowConfidenceWarn: number
  /** `booster`: without a status block, completion words and a passing check can still complete the run. */
  readonly structuredSignal: 'required' | 'booster'
  /** If false, the score alone decides, as in the original. */
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
  /** Whether test results that could not be read count as a pass. `pass` is what the original code did. */
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
/** Any part of a configuration, as a file, the environment, flags or a preset can set it. */
export type ConfigPatch = Patch<Omit<Config, 'taskTypes'>> & { readonly taskTypes?: Readonly<Record<string, object>> }
