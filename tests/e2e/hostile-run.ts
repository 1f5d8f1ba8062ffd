import { existsSync, readFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { patience } from '../timing.ts'
import { program } from './program.ts'
import { CLAIM, NODE_CLAIM, processesOf, type Ran, runProject, WORK } from './run-project.ts'

export type Project = ReturnType<typeof runProject>
export type Decided = Extract<JournalEvent, { type: 'iteration.decided' }>

/**
 * The start of hostile agents. An agent runs in the workspace; `ROOT` is a folder outside it that tests can read. In sh, because it starts
 * much faster than Node.
 */
export const SHELL_KIT = `set -e
ROOT=$HOME WORK=$PWD RUNNER=$PPID n=$EXITGATE_ITERATION
STATE=\${EXITGATE_INBOX%/*/*}
JOURNAL=$STATE/journal.jsonl
work() { ${WORK.trim()}; }
claim() { ${CLAIM}; }
`

/** The same for agents in JavaScript. */
export const NODE_KIT = `import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
const ROOT = process.env.HOME
const STATE = dirname(dirname(process.env.EXITGATE_INBOX))
const RUNNER = process.ppid
const claim = () => ${NODE_CLAIM}
const tell = (name, text) => { fs.writeFileSync(join(ROOT, name + '.part'), text); fs.renameSync(join(ROOT, name + '.part'), join(ROOT, name)) }
`

/** Switches off every rule that could end the run before the one under test. */
export const PATIENT = {
  breaker: { enabled: false },
  hollowClaims: 1000,
  unverifiable: 1000,
  oscillation: 1000,
  sameTask: 1000,
}

export interface HostileRun {
  readonly project: Project
  readonly ran: Ran
  /** Everything exitgate printed. */
  readonly seen: string
}

export interface HostileOptions {
  readonly args?: readonly string[]
  readonly files?: Readonly<Record<string, string>>
  readonly config?: object
  readonly env?: Readonly<Record<string, string>>
  readonly prepare?: (project: Project) => void
  /** If the agent killed its runner: true once the agent has finished. */
  readonly leftover?: (project: Project) => boolean
}

/**
 * Runs a hostile agent on a fresh project with the real program, and checks that no process of it is left. An agent that starts with
 * `NODE_KIT` is JavaScript; all others are shell scripts.
 */
export async function runHostile(agent: string, options: HostileOptions = {}): Promise<HostileRun> {
  const { args = [], files = {}, config = {}, env = {}, prepare, leftover } = options
  const project = runProject({ 'exitgate.config.json': JSON.stringify({ ...PATIENT, ...config }), ...files })
  prepare?.(project)
  const more = { PROGRAM: await program(), ...env }
  const command = agent.startsWith(NODE_KIT) ? project.agent(agent, 'agent.mjs') : project.agent(`${SHELL_KIT}${agent}`)
  const ran = await project.run(['run', '--plain', '--max-iterations', '1', ...args, '--', ...command], more)
  const seen = ran.stdout + ran.stderr
  if (ran.signal === 'SIGKILL' && leftover !== undefined)
    await vi.waitFor(() => expect(leftover(project), seen).toBe(true), { timeout: patience(60_000), interval: 100 })
  // A killed process is gone as soon as the system gets to it.
  if (ran.signal !== 'SIGKILL')
    await vi.waitFor(() => expect(processesOf(project.root), seen).toEqual([]), patience(30_000))
  return { project, ran, seen }
}

export const decisionsOf = (project: Project): readonly Decided[] =>
  project.events().filter((event): event is Decided => event.type === 'iteration.decided')

export const endOf = (project: Project): string | undefined => {
  const end = project.events().findLast((event) => event.type === 'run.ended')
  return end?.type === 'run.ended' ? `${end.outcome}/${end.ending}` : undefined
}

/** What an agent wrote to a file next to its workspace. */
export const noteOf = ({ root }: Project, name: string): string =>
  existsSync(`${root}/${name}`) ? readFileSync(`${root}/${name}`, 'utf8') : ''
