// Faults of a fleet: the database is unreachable for longer than the lease, workers are killed, the database restarts without
// warning.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { call, makePlace, startWorker, tasksOf } from '../bench/fleet/place.mjs'
import { startPostgres } from '../scripts/postgres.mjs'

const FINISH_MS = 240_000
const LEAVE_MS = 60_000

/** Stops the database for some seconds during runs. */
const outage = (seconds, { workers = 2, lease = 5, how = 'kill' } = {}) => ({
  name: `fleet: database stopped for ${seconds} s, ${workers} workers, lease ${lease} s (${how})`,
  run: ({ dir, log }) =>
    inFleet({ dir, workers, lease, tasks: workers * 4 }, async ({ server, started }) => {
      await started(workers)
      await server[how]()
      log(`the database is stopped for ${seconds} s`)
      await sleep(seconds * 1000)
      await server.start()
    }),
})

/** Kills a worker with SIGKILL repeatedly and starts a new one each time. */
const kills = (count) => ({
  name: `fleet: ${count} workers killed`,
  run: ({ dir }) =>
    inFleet({ dir, workers: 2, lease: 2, tasks: count * 2 }, async ({ replace, started }) => {
      for (let n = 1; n <= count; n++) {
        await started(n)
        await replace()
      }
    }),
})

/** Kills the database and restarts it at once, several times. */
const restarts = (count) => ({
  name: `fleet: ${count} immediate restarts of the database`,
  run: ({ dir }) =>
    inFleet({ dir, workers: 2, lease: 5, tasks: count * 4 }, async ({ server, started }) => {
      for (let n = 1; n <= count; n++) {
        await started(n * 2)
        await server.kill()
        await server.start()
      }
    }),
})

export const rows = [outage(12), outage(60), outage(60, { workers: 4 }), kills(6), restarts(3)]

/**
 * Runs tasks on workers of the built program, causes the fault, and waits until every task has ended. Ok if each was completed once
 * and every worker exits on the first SIGTERM with code 0.
 */
async function inFleet({ dir, workers, lease, tasks }, damage) {
  // The server's folder belongs to its own user, so it is not in ours.
  const data = mkdtempSync(join(tmpdir(), 'exitgate-faults-pg-'))
  mkdirSync(dir, { recursive: true })
  const server = await startPostgres({ dir: data, fast: true })
  const running = new Map()
  try {
    const place = makePlace(dir, server.url, { agentSeconds: 1 })
    call(place, 'migrate')
    writeFileSync(join(dir, 'tasks.yaml'), JSON.stringify({ tasks: tasksOf(place, tasks) }))
    call(place, 'submit', 'tasks.yaml', '--queue', 'bench')
    const events = []
    let machines = 0
    const begin = () => {
      const n = ++machines
      running.set(n, startWorker(place, n, { concurrency: 2, lease, onEvent: (event) => events.push({ n, ...event }) }))
    }
    for (let n = 0; n < workers; n++) begin()
    await damage({
      server,
      started: (count) =>
        waitFor(
          () => events.filter(({ type, event }) => type === 'loop' && event?.type === 'iteration').length >= count,
        ),
      async replace() {
        const [n, worker] = [...running][0]
        worker.child.kill('SIGKILL')
        await worker.exited
        running.delete(n)
        begin()
      },
    })
    const unfinished = () => count(server.url, "exitgate.tasks WHERE standing IN ('waiting', 'ready', 'running')")
    const finished = await waitFor(async () => (await unfinished()) === 0, FINISH_MS)
    const problems = []
    if (!finished) problems.push(`${await unfinished()} of ${tasks} tasks did not finish: ${await stuck(server.url)}`)
    const completed = await count(server.url, "exitgate.tasks WHERE standing = 'completed'")
    if (completed !== tasks) problems.push(`${completed} of ${tasks} tasks completed`)
    const ended = events.filter(({ type }) => type === 'ended').map(({ run }) => run)
    if (new Set(ended).size !== ended.length) problems.push(`${ended.length - new Set(ended).size} tasks ended twice`)
    for (const { child } of running.values()) child.kill('SIGTERM')
    const codes = Promise.all([...running.values()].map(({ exited }) => exited))
    const left = await Promise.race([codes, sleep(LEAVE_MS, undefined, { ref: false })])
    if (left === undefined) problems.push('a worker did not exit on SIGTERM')
    else if (left.some((code) => code !== 0)) {
      const output = [...running.values()].map((worker) => worker.output()).join('')
      problems.push(`workers exited with ${left.join(', ')}: ${output}`)
    }
    const taken = events.filter(({ type, from }) => type === 'claimed' && from !== undefined).length
    const detail = problems.join('; ') || `${tasks} tasks completed once, ${taken} taken over`
    return { ok: problems.length === 0, detail }
  } finally {
    for (const { child } of running.values()) child.kill('SIGKILL')
    await Promise.all([...running.values()].map(({ exited }) => exited))
    await server.stop()
    for (const folder of [data, dir]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** False if it didn't happen in time. */
async function waitFor(holds, ms = FINISH_MS) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(200))
    if (await Promise.resolve(holds()).catch(() => false)) return true
  return false
}

const count = async (url, from) => (await query(url, `SELECT count(*)::int AS n FROM ${from}`))[0].n

async function stuck(url) {
  const runs = await query(
    url,
    `SELECT r.id, r.epoch, r.worker, s.status, s.executor_id, s.queue_name FROM exitgate.runs r
     LEFT JOIN exitgate_dbos.workflow_status s ON s.workflow_uuid = r.id WHERE r.standing <> 'ended'`,
  )
  return JSON.stringify(runs)
}

async function query(url, sql) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Standalone: `node faults/fleet.mjs [PART OF A NAME] [--rounds N] [--at-once N]`. */
async function main(args) {
  const given = (name, usual) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : usual)
  const [rounds, atOnce] = [given('--rounds', 1), given('--at-once', 1)]
  const [words = ''] = args.filter((word, at) => !word.startsWith('--') && !args[at - 1]?.startsWith('--'))
  const chosen = rows.filter(({ name }) => name.includes(words))
  const waiting = Array.from({ length: rounds }, (_, round) =>
    chosen.map((row) => ({ round: round + 1, ...row })),
  ).flat()
  let good = 0
  const lane = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const dir = mkdtempSync(join(tmpdir(), 'exitgate-faults-'))
      const { ok, detail } = await row
        .run({ dir, log: () => {} })
        .catch((error) => ({ ok: false, detail: error.stack }))
      if (ok) good += 1
      console.log(`${ok ? 'ok' : 'FAILED'} ${row.name}, round ${row.round}: ${detail}`)
    }
  }
  const total = waiting.length
  await Promise.all(Array.from({ length: atOnce }, lane))
  console.log(`${good} of ${total}`)
  process.exitCode = good === total ? 0 : 1
}

if (argv[1] === fileURLToPath(import.meta.url)) await main(argv.slice(2))
