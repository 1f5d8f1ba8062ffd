import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import type { Launch, LaunchCall } from '../../src/agents/launch/launcher.ts'
import { openReader } from '../../src/agents/reader.ts'
import type { Transcript } from '../../src/core/types.ts'
import { type ScriptedModel, startModel } from './model/server.ts'
import type { Turn } from './model/turn.ts'
import { SETUPS } from './setups.ts'

/** A real agent with an empty environment, its own home folder and a scripted model. */
export interface Rig {
  readonly model: ScriptedModel
  readonly workspace: string
  readonly program: string
  /** The agent's complete environment. */
  readonly env: Readonly<Record<string, string>>
  /** Starts the agent through its launcher and reads all of its output. */
  run(call: Partial<LaunchCall>, also?: RunOptions): Promise<AgentRun>
  close(): Promise<void>
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Called as soon as the agent runs, with a function to kill it. */
  readonly started?: (kill: (signal: NodeJS.Signals) => void, stdout: Readable) => void
}

export interface AgentRun {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  readonly transcript: Transcript
}

export async function openRig(name: string, turns: readonly Turn[], containing?: string): Promise<Rig> {
  const program = agentProgram(name).path
  const agent = agentNamed(name)
  const launcher = LAUNCHERS.find((one) => one.name === agent)
  const setup = SETUPS[agent]
  if (program === undefined || setup === undefined) throw new Error(`no ${name} here`)
  const model = await startModel(turns, containing)
  const folder = mkdtempSync(join(tmpdir(), `exitgate-${name}-`))
  const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')]
  put(home, { '.keep': '', ...setup.files(model.url) })
  put(workspace, { 'README.md': '# Kettle\n' })
  const env = {
    // Some agents need the Node that runs the tests.
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    TMPDIR: folder,
    TERM: 'dumb',
    NO_COLOR: '1',
    ...setup.env(model.url),
  }
  const launch = (call: LaunchCall): Launch => {
    if (setup.headless !== undefined) return { args: [...setup.headless(call.prompt), ...call.args], env: {} }
    if (launcher === undefined) throw new Error(`exitgate does not start ${name}`)
    return launcher.launch(call)
  }
  return {
    model,
    workspace,
    program,
    env,
    async run(call, also = {}) {
      const asked = { prompt: 'Repair the kettle.', args: setup.args, ...call }
      const { args, stdin, env: own } = launch(asked)
      const child = spawn(program, args, { cwd: workspace, env: { ...env, ...own, ...also.env }, detached: true })
      const kill = (signal: NodeJS.Signals) => {
        try {
          process.kill(-child.pid!, signal)
        } catch {
          // The agent has already ended.
        }
      }
      const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
      child.stdout.on('data', (chunk) => stdout.push(chunk))
      child.stderr.on('data', (chunk) => stderr.push(chunk))
      child.stdin.on('error', () => {})
      child.stdin.end(stdin)
      also.started?.(kill, child.stdout)
      const [code, signal] = await new Promise<[number | null, string | null]>((ended, failed) => {
        child.on('error', failed)
        child.on('close', (exit, by) => ended([exit, by]))
      })
      kill('SIGKILL')
      const reader = openReader(launcher?.format ?? 'text')
      for (const chunk of stdout) reader.write(chunk)
      return {
        code,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
        transcript: reader.end(),
      }
    },
    async close() {
      await model.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** One agent may be installed in two versions. */
export const agentNamed = (name: string): string => name.replace(/-newest$/, '')

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
