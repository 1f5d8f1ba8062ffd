import { relative, sep } from 'node:path'
import { ConfigError } from '../config/errors.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { recordedCode } from '../config/recorded-code.ts'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import { PRESETS, presetOf } from '../core/presets/index.ts'
import type { FoundWorkspace, HookContext } from './find-workspace.ts'
import { approvableIn } from './trust.ts'
import { type Approvable, approvedHash, type Trust, trustOf } from './trust-file.ts'

/** The configuration a run began with. With a goal no file is read: the agent can write it, and what it writes has no say. */
function pinned(config: Config): Loaded {
  return { config, preset: presetOf(config), sources: new Map(), hash: '', warnings: [] }
}

/** The same in a new process: code that the run began with is loaded if its file is as it was then, and else an error says so. */
export async function loadPinned(config: Config, workspace: string): Promise<Loaded> {
  const load = await recordedCode(workspace)
  load(config)
  return pinned(config)
}

/** The state has the run of the goal, and nothing took its place. */
export function holdsGoal(state: State, { goal }: FoundWorkspace): state is State & { readonly config: Config } {
  return goal !== undefined && goal.run !== '' && state.run === goal.run && state.config !== undefined
}

/**
 * The configuration for a single claim, in a folder that a person has approved in a conversation: nobody asked for a plan to be finished, for phases or for a change, and
 * no earlier run is to be held against it.
 */
export async function loadClaimConfig(workspace: string, { env }: HookContext): Promise<Loaded> {
  const loaded = await loadConfig({ dir: workspace, env, flags: {}, presets: PRESETS, allowCode: true })
  const { config } = withoutLoopLimits(loaded)
  const approved = { ...config, preset: 'default' as const, evidence: allowing(config, workspace, loaded.filePath) }
  return { ...pinned(withoutPlan(approved)), warnings: loaded.warnings }
}

/** More than any conversation has stops. */
const NEVER = 1_000_000

/**
 * A hook counts its refusals itself, by what its host can bear. What ends a loop that gets nowhere would let an agent go that has only lied
 * often enough, so it counts here only where the person has set it.
 */
export function withoutLoopLimits(loaded: Loaded): Loaded {
  const { config, sources } = loaded
  const unset = (path: string): boolean => (sources.get(path) ?? 'default') === 'default'
  return {
    ...loaded,
    config: {
      ...config,
      ...(unset('hollowClaims') ? { hollowClaims: NEVER } : {}),
      ...(unset('oscillation') ? { oscillation: NEVER } : {}),
      breaker: { ...config.breaker, ...(unset('breaker.enabled') ? { enabled: false } : {}) },
    },
  }
}

/** The settings as they are now were approved with `exitgate trust`; that they are not committed yet is no tampering. */
function allowing({ evidence }: Config, workspace: string, file: string | undefined): Config['evidence'] {
  if (file === undefined) return evidence
  const reason = 'approved with exitgate trust'
  const path = relative(workspace, file).split(sep).join('/')
  return { ...evidence, allow: [...evidence.allow, { kind: 'gate-touched', file: path, reason }] }
}

/** What a part of the work can be held to. */
export function withoutPlan({ plan: _plan, ...config }: Config): Config {
  return {
    ...config,
    requireChange: false,
    required: config.required.filter((name) => name !== 'checklist'),
    breaker: { ...config.breaker, enabled: false },
  }
}

export interface Approval {
  readonly trust: Trust
  /** The commands as they are now, or what is wrong with the configuration. */
  readonly commands: readonly string[]
}

/** Whether a person approved what would be run here. A configuration that cannot be read is not the one that was approved. */
export async function approvalOf(
  { workspace, stateDir }: FoundWorkspace,
  { platform }: HookContext,
): Promise<Approval> {
  let now: Approvable
  try {
    now = await approvableIn(workspace, platform)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { trust: approvedHash(stateDir) === undefined ? 'never' : 'changed', commands: error.problems }
  }
  return { trust: trustOf(stateDir, now), commands: now.commands }
}
