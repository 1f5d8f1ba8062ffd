// What a task and an idle worker cost: tasks a minute, CPU time of a task with all its processes, transactions of an idle worker.
// Standalone: node bench/fleet/cost.mjs [idle]
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startPostgres } from '../../scripts/postgres.mjs'
import { round } from '../median.mjs'
import { call, makePlace, startWorker } from './place.mjs'

const POLL_MS = 100
/** DBOS polls until a worker has been idle for 10 s. */
const IDLE_AFTER_MS = 15_000
const IDLE_MS = 30_000
const TICKS_PER_SECOND = 100

const WORKERS = [1, 2, 4]
const TASKS_PER_WORKER = 6
const GOAL = { transactionsPerSecond: 1, cpuPerTask: 0.75 }

/** Everything on a private PostgreSQL; only the idle worker if `idleOnly`. */
export async function measureCost(print, { idleOnly = false } = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-bench-fleet-')))
  const data = mkdtempSync(join(tmpdir(), 'exitgate-bench-pg-'))
  const server = await startPostgres({ dir: data })
  try {
    const place = makePlace(root, server.url, { agents: { '3-second': 'sleep 3' } })
    call(place, 'migrate')
    const idle = await idleWorker(place)
    print(
      `  idle worker: ${idle.transactionsPerSecond} transactions per second, ${round(idle.cpuShare * 100, 2)} % of a core`,
    )
    if (idleOnly) return { idle }
    print('  agent    | workers | tasks per minute | scale | CPU seconds per task')
    const rows = [...(await scaling(place, 'instant')), ...(await scaling(place, '3-second'))]
    for (const { agent, workers, tasksPerMinute, scale, cpuPerTask } of rows)
      print(
        `  ${agent.padEnd(8)} | ${workers}       | ${String(tasksPerMinute).padStart(16)} | ${scale} | ${cpuPerTask}`,
      )
    print(`  goal: below ${GOAL.transactionsPerSecond} transaction per second, ${GOAL.cpuPerTask} CPU seconds per task`)
    return { idle, rows, goal: GOAL }
  } finally {
    await server.stop()
    for (const dir of [root, data]) rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** One row per number of workers, each with one run at a time. */
async function scaling(place, agent) {
  const rows = []
  for (const count of WORKERS) rows.push(await measure(place, { agent, count, tasks: count * TASKS_PER_WORKER }))
  return rows.map((row) => ({ ...row, scale: round(row.tasksPerMinute / rows[0].tasksPerMinute, 2) }))
}

async function measure(place, { agent, count, tasks }) {
  let ended = 0
  const workers = Array.from({ length: count }, (_, n) =>
    startWorker(place, `${agent}-${count}-${n}`, {
      concurrency: 1,
      onEvent: ({ type }) => {
        if (type === 'ended') ended += 1
      },
    }),
  )
  try {
    // The first task of each worker loads DBOS and makes the copy of the remote, so it isn't counted.
    await work(`${agent}-${count}-first`, count)
    const [began, before] = [performance.now(), cpuOf(workers)]
    await work(`${agent}-${count}`, tasks)
    const seconds = (performance.now() - began) / 1000
    const cpu = (cpuOf(workers) - before) / tasks
    return { agent, workers: count, tasks, tasksPerMinute: round((tasks / seconds) * 60, 1), cpuPerTask: round(cpu, 2) }
  } finally {
    for (const { child } of workers) child.kill('SIGTERM')
    await Promise.all(workers.map(({ exited }) => exited))
  }

  async function work(name, number) {
    const list = Array.from({ length: number }, (_, n) => ({
      id: `${name}-${n}`,
      prompt: 'Do it.',
      repository: place.remote,
      agent,
    }))
    writeFileSync(join(place.root, 'tasks.yaml'), JSON.stringify({ tasks: list }))
    ended = 0
    call(place, 'submit', 'tasks.yaml', '--queue', 'bench')
    while (ended < number) {
      const exited = workers.find(({ child }) => child.exitCode !== null)
      if (exited !== undefined) throw new Error(`a worker ended: ${exited.output()}`)
      await sleep(POLL_MS)
    }
  }
}

/** CPU seconds of the workers and of every process they started and waited for. */
const cpuOf = (workers) => workers.reduce((sum, { child }) => sum + cpuSeconds(child.pid), 0)

function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system, childUser, childSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
  return (user + system + childUser + childSystem) / TICKS_PER_SECOND
}

/** Transactions per second and CPU share of a worker without tasks, by PostgreSQL's own count. */
async function idleWorker(place) {
  const worker = startWorker(place, 'idle', { concurrency: 1, onEvent() {} })
  const client = new pg.Client({ connectionString: place.url })
  await client.connect()
  const transactions = async () =>
    Number(
      (
        await client.query(
          'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
        )
      ).rows[0].n,
    )
  try {
    await sleep(IDLE_AFTER_MS)
    const [before, cpu] = [await transactions(), cpuSeconds(worker.child.pid)]
    await sleep(IDLE_MS)
    const seconds = IDLE_MS / 1000
    // Without our own question.
    const perSecond = ((await transactions()) - before - 1) / seconds
    return {
      transactionsPerSecond: round(perSecond, 2),
      cpuShare: round((cpuSeconds(worker.child.pid) - cpu) / seconds, 4),
    }
  } finally {
    worker.child.kill('SIGTERM')
    await worker.exited
    await client.end()
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await measureCost(console.log, { idleOnly: argv.includes('idle') })
