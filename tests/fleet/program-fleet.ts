import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '../e2e/program.ts'
import { fleetProject, type RunningWorker, running, SECRET } from './fleet-project.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The fleet as people have it: the program itself, with the database in its environment. */
export async function programFleet(url: string, agentText?: string) {
  const fleet = await fleetProject(url)
  const { root, gates, bare } = fleet
  if (agentText !== undefined) writeFileSync(fleet.agent, agentText)
  writeFileSync(
    join(root, 'worker.yaml'),
    JSON.stringify({
      queues: { q: { secrets: ['SOME_API_KEY'], settings: ['TEST_GATES'], agent: 'scripted' } },
      agents: { scripted: [process.execPath, fleet.agent] },
    }),
  )
  const file = await program()
  const env = (more: Readonly<Record<string, string>> = {}) => ({
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    LANG: 'C.UTF-8',
    TMPDIR: root,
    EXITGATE_FLEET_DB: url,
    ...more,
  })
  let folders = 0

  return {
    ...fleet,
    writeTasks(tasks: readonly Readonly<Record<string, unknown>>[], name = 'tasks.yaml'): string {
      const defaults = { repository: bare, agent: 'scripted' }
      const whole = tasks.map((task) => ({ prompt: 'Make the tests pass.', ...task }))
      writeFileSync(join(root, name), JSON.stringify({ defaults, tasks: whole }))
      return name
    },
    /** One command, until it has ended. */
    call(...args: readonly string[]): Promise<Ran> {
      return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [file, 'fleet', ...args], { cwd: root, env: env() })
        let [stdout, stderr] = ['', '']
        child.stdout.on('data', (chunk) => (stdout += chunk))
        child.stderr.on('data', (chunk) => (stderr += chunk))
        child.once('error', reject)
        child.once('close', (code) => resolve({ code, stdout, stderr }))
      })
    },
    /** A worker of its own machine, so to say: nothing of its folder is another's. */
    start(args: readonly string[] = [], { db = url, before = [] as readonly string[] } = {}): RunningWorker {
      const folder = join(root, `machine-${++folders}`)
      mkdirSync(folder)
      const own = ['fleet', 'worker', '--queue', 'q', '--lease', '2', '--json', '--config', 'worker.yaml']
      const [command = process.execPath, ...rest] = [...before, process.execPath, file, ...own, '--folder', folder]
      const secrets = { TEST_GATES: gates, SOME_API_KEY: SECRET, OTHER_TOKEN: 'not-for-agents-0123' }
      const child = spawn(command, [...rest, ...args], {
        cwd: root,
        env: env({ ...secrets, EXITGATE_FLEET_DB: db }),
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return running(child)
    },
  }
}
