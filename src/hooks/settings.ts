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

/** The configuration the run started with. With a goal, no file is read, because the agent can edit it. */
function pinned(config: Config): Loaded {
  return { config, preset: presetOf(config), sources: new Map(), hash: '', warnings: [] }
}

/** The same in a new process. Code in the configuration is loaded only if its file is unchanged; otherwise this throws. */
export async function loadPinned(config: Config, workspace: string): Promise<Loaded> {
  const load = await recordedCode(workspace)
  load(config)
  return pinned(config)
}

/** The journal's current run is the run of the goal. */
export function holdsGoal(state: State, { goal }: FoundWorkspace): state is State & { readonly config: Config } {
  return goal !== undefined && goal.run !== '' && state.run === goal.run && state.config !== undefined
}

/**
 * The configuration for a single claim in an approved folder. In a conversation, no plan, phase or change is required, and earlier
 * runs don't count.
 */
export async function loadClaimConfig(workspace: string, { env }: HookContext): Promise<Loaded> {
  const loaded = await loadConfig({ dir: workspace, env, flags: {}, presets: PRESETS, allowCode: true })
  const { config } = withoutLoopLimits(loaded)
  const approved = { ...config, preset: 'default' as const, evidence: allowing(config, workspace, loaded.filePath) }
  return { ...pinned(withoutPlan(approved)), warnings: loaded.warnings }
}

/** No conversation has that many stops. */
const NEVER = 1_000_000

/**
 * A hook limits refusals by what its client allows. The rules that end a stuck loop would let an agent stop after enough false claims,
 * so they apply here only if the user set them.
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

/** The current settings were approved with `exitgate trust`, so an uncommitted change of them is not tampering. */
function allowing({ evidence }: Config, workspace: string, file: string | undefined): Config['evidence'] {
  if (file === undefined) return evidence
  const reason = 'approved with exitgate trust'
  const path = relative(workspace, file).split(sep).join('/')
  return { ...evidence, allow: [...evidence.allow, { kind: 'gate-touched', file: path, reason }] }
}

/** The configuration for a part of the work: no plan and no required change. */
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

/** Whether the user approved the commands here. An unreadable configuration counts as changed. */
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
