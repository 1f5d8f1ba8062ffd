import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LAUNCHERS } from '../../agents/launch/index.ts'
import { FILE_NAMES, packageConfig } from '../../config/find.ts'
import type { Migration, OldTool } from '../../config/migrate/carry.ts'
import type { Format } from '../../config/render.ts'
import type { ConfigPatch, PresetName } from '../../core/config.ts'
import { detect, preferred } from '../../evidence/detect/index.ts'
import type { Detected, Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import type { HookClient } from '../../hooks/hook-client.ts'
import { HOOK_CLIENTS } from '../../hooks/index.ts'
import { hookFile, installed } from '../../hooks/install/install.ts'
import { InstallError } from '../../hooks/install/installation.ts'
import { findProgram } from '../../system/find-program.ts'
import { hostsHere } from '../hook-setup.ts'
import type { Io } from '../io.ts'
import { fresh, migrated, systemsIn, textOf } from './config-file.ts'

/** What init would write. */
export interface InitPlan {
  /** Absent if an existing configuration stays. */
  readonly config?: { readonly file: string; readonly text: string; readonly migration: Migration }
  /** The existing configuration. */
  readonly kept?: string
  readonly system?: OldTool
  readonly hooks: readonly { readonly host: HookClient; readonly file: string }[]
  /** Configurations of agents that can't be changed, and why. */
  readonly problems: readonly string[]
}

export interface PlanOptions {
  readonly dir: string
  readonly format: Format
  readonly preset: PresetName | undefined
  readonly system: OldTool | undefined
  readonly force: boolean | undefined
}

/** Cursor and Copilot CLI also read the hooks of Claude Code, and would run exitgate twice. */
const READ_CLAUDE = new Set(['cursor', 'copilot'])

export async function planInit(options: PlanOptions, around: Surroundings, io: Io): Promise<InitPlan> {
  const { dir, format, preset, force } = options
  const file = `exitgate.config.${format}`
  const there = configIn(dir)
  const kept = there === undefined || (force === true && there === file) ? undefined : there
  const systems = systemsIn(dir)
  // With several older tools, the user has to choose one with --from.
  const system = options.system ?? (systems.length === 1 ? systems[0] : undefined)
  const migration = system === undefined ? withFound(fresh(preset), around) : migrated(system, dir, io, preset)
  const config = { file, text: textOf(migration, format, dir, system), migration }
  return {
    ...(kept === undefined ? { config } : { kept }),
    ...(system === undefined ? {} : { system }),
    ...(await hooksFor(dir, around, io)),
  }
}

function configIn(dir: string): string | undefined {
  const file = FILE_NAMES.find((name) => existsSync(join(dir, name)))
  return file ?? (packageConfig(dir, join(dir, 'package.json')) === undefined ? undefined : 'package.json')
}

/** Sets each command of which there is exactly one, so that the agent can't replace it. */
export function withFound(migration: Migration, { tests, builds, checks, plan, agents }: Surroundings): Migration {
  const all = [...tests, ...builds, ...checks]
  const isOnly = (kind: string): boolean => all.filter((each) => each.kind === kind).length === 1
  const single = all.filter(({ kind, cwd, missing }) => cwd === '' && missing === undefined && isOnly(kind))
  const commands = Object.fromEntries(single.map(({ kind, command }) => [kind, command]))
  const patch: ConfigPatch = {
    ...migration.patch,
    ...(single.length > 0 && { commands }),
    ...(plan === undefined ? {} : { plan }),
    ...(agents.length === 1 ? { run: { agent: agents[0]! } } : {}),
  }
  return { ...migration, patch }
}

async function hooksFor(dir: string, { hosts }: Surroundings, io: Io): Promise<Pick<InitPlan, 'hooks' | 'problems'>> {
  const hooks: { host: HookClient; file: string }[] = []
  const problems: string[] = []
  for (const host of HOOK_CLIENTS) {
    if (!hosts.includes(host.name) || (READ_CLAUDE.has(host.name) && hosts.includes('claude'))) continue
    try {
      if (await hasHook(host, dir, io)) continue
      const file = await hookFile(host, { scope: 'project', dir, home: io.home, env: io.env })
      hooks.push({ host, file: relative(dir, file) })
    } catch (error) {
      if (!(error instanceof InstallError)) throw error
      problems.push(error.message)
    }
  }
  return { hooks, problems }
}

async function hasHook(host: HookClient, dir: string, { home, env }: Io): Promise<boolean> {
  for (const scope of ['project', 'user'] as const)
    if ((await installed(host, { scope, dir, home, env })).length > 0) return true
  return false
}

/** What init found in the project. */
export interface Surroundings {
  /** Agents whose program is on the PATH. */
  readonly agents: readonly string[]
  /** Agents with hooks whose program is on the PATH. */
  readonly hosts: readonly string[]
  readonly tests: readonly Detected[]
  readonly builds: readonly Detected[]
  /** Lint and type checks. */
  readonly checks: readonly Detected[]
  /** Scripts that call an agent in a loop. */
  readonly loops: readonly string[]
  readonly plan?: string
  readonly prompt?: string
}

const PLANS = ['PLAN.md', 'plan.md', 'TASKS.md', 'TODO.md', 'fix_plan.md', '@fix_plan.md', '.ralph/fix_plan.md']
const PROMPTS = ['PROMPT.md', 'prompt.md', '.ralph/PROMPT.md']
/** A loop that calls an agent. Separate patterns are fast on any script. */
const LOOP = [/\b(?:while|until)\b/, /\b(?:claude|codex|gemini|opencode|copilot|cursor-agent|aider)\b/, /\bdone\b/]
const BOX = /^\s*(?:[-*+]|\d+[.)]) \[[ xX]\]/m
const MOST_SCRIPTS = 200
const LONGEST_SCRIPT = 256 * 1024

export async function lookAround(dir: string, io: Io): Promise<Surroundings> {
  const workspace = openWorkspace(dir, { env: io.env })
  const found = await detect(workspace, { platform: io.platform })
  const has = (program: string): boolean => findProgram(program, dir, io.env, io.platform) !== undefined
  const plan = PLANS.find((name) => BOX.test(workspace.read(name) ?? ''))
  const prompt = PROMPTS.find((name) => (workspace.read(name) ?? '').trim() !== '')
  return {
    agents: LAUNCHERS.filter(({ programs }) => programs.some(has)).map(({ name }) => name),
    hosts: hostsHere(dir, io).map(({ host }) => host.name),
    tests: preferred(found, 'test'),
    builds: preferred(found, 'build'),
    checks: [...preferred(found, 'lint'), ...preferred(found, 'typecheck')],
    loops: await loopsIn(workspace),
    ...(plan === undefined ? {} : { plan }),
    ...(prompt === undefined ? {} : { prompt }),
  }
}

async function loopsIn(workspace: Workspace): Promise<readonly string[]> {
  const scripts = (await workspace.list()).filter((path) => /\.(?:sh|bash|zsh)$/.test(path)).slice(0, MOST_SCRIPTS)
  return scripts.filter((path) => {
    const text = workspace.read(path) ?? ''
    if (text.length > LONGEST_SCRIPT) return false
    const lines = text
      .split('\n')
      .filter((line) => !line.trimStart().startsWith('#'))
      .join('\n')
    return LOOP.every((pattern) => pattern.test(lines))
  })
}
