import { LAUNCHERS } from '../../agents/launch/index.ts'
import { detect, preferred } from '../../evidence/detect/index.ts'
import type { Detected, Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { findProgram } from '../../system/find-program.ts'
import { hostsHere } from '../hook-setup.ts'
import type { Io } from '../io.ts'

/** What is here already. */
export interface Surroundings {
  /** Agents by name whose program is on the search path. */
  readonly agents: readonly string[]
  /** Hosts of hooks whose program is on the search path. */
  readonly hosts: readonly string[]
  readonly tests: readonly Detected[]
  readonly builds: readonly Detected[]
  /** Scripts that call an agent again and again. */
  readonly loops: readonly string[]
  readonly plan?: string
  readonly prompt?: string
}

const PLANS = ['PLAN.md', 'plan.md', 'TASKS.md', 'TODO.md', 'fix_plan.md', '@fix_plan.md', '.ralph/fix_plan.md']
const PROMPTS = ['PROMPT.md', 'prompt.md', '.ralph/PROMPT.md']
/** Each for itself, so that no script takes long: something is repeated, and an agent is called. */
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
