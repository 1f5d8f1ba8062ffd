import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '../e2e/program.ts'
import { fleetProject, LEASE_SECONDS, type RunningWorker, running } from './fleet-project.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The fleet as users run it: its commands with the database in the environment, and workers with their own folders. */
export async function programFleet(url: string, agentText?: string) {
  const fleet = await fleetProject(url)
  const { root, bare, env } = fleet
  if (agentText !== undefined) writeFileSync(fleet.agent, agentText)
  const file = await program()
  let folders = 0

  return {
    ...fleet,
    writeTasks(tasks: readonly Readonly<Record<string, unknown>>[], name = 'tasks.yaml'): string {
      const defaults = { repository: bare, agent: 'scripted' }
      const complete = tasks.map((task) => ({ prompt: 'Make the tests pass.', ...task }))
      writeFileSync(join(root, name), JSON.stringify({ defaults, tasks: complete }))
      return name
    },
    /** Runs one command to its end. */
    call(...args: readonly string[]): Promise<Ran> {
      return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [file, 'fleet', ...args], {
          cwd: root,
          env: { ...env, EXITGATE_FLEET_DB: url },
        })
        let [stdout, stderr] = ['', '']
        child.stdout.on('data', (chunk) => (stdout += chunk))
        child.stderr.on('data', (chunk) => (stderr += chunk))
        child.once('error', reject)
        child.once('close', (code) => resolve({ code, stdout, stderr }))
      })
    },
    /** A worker as on a separate machine: no other one uses its folder. */
    start(args: readonly string[] = [], options: Parameters<typeof fleet.start>[1] = {}): RunningWorker {
      const folder = join(root, `machine-${++folders}`)
      mkdirSync(folder)
      return running(fleet.start(['--lease', String(LEASE_SECONDS), '--folder', folder, ...args], options))
    },
  }
}
