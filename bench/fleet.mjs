// Many tasks on four workers, one of them killed in the middle, and the cost of a claim with thousands of queued tasks.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { postgresPrograms, startPostgres } from '../scripts/postgres.mjs'
import { claimsAmong, withParts } from './fleet/claims.mjs'
import { measureCost } from './fleet/cost.mjs'
import { call, makePlace, startWorker, tasksOf } from './fleet/place.mjs'
import { round } from './median.mjs'

export const name = 'fleet'
export const about = 'instant tasks on four workers with a kill -9 in the middle, database size, cost of claims'

const WORKERS = 4
const CONCURRENCY = 2
const TASKS = { part: 24, full: 1_000 }
const POLL_MS = 250
const QUEUED = [100, 1_000, 10_000]
const GOAL = { lost: 0, doubled: 0, recoverySeconds: 15, claimGrowth: 3 }

export async function run({ print, full = false }) {
  const { missing } = postgresPrograms()
  if (missing !== undefined) {
    print(`  not run: ${missing}`)
    return { missing }
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-bench-fleet-')))
  // The server's folder belongs to its own user.
  const data = mkdtempSync(join(tmpdir(), 'exitgate-bench-pg-'))
  const server = await startPostgres({ dir: data })
  try {
    const work = await manyTasks(makePlace(root, server.url), full ? TASKS.full : TASKS.part)
    printWork(print, work, full)
    const claims = await withParts((parts) => growth(server.url, parts))
    print('\n  queued tasks | one claim | submitting them')
    for (const { queued, claimMs, submitMs } of claims)
      print(`  ${String(queued).padStart(12)} | ${round(claimMs, 2)} ms | ${round(submitMs / 1000, 2)} s`)
    const claimGrowth = round(claims.at(-1).claimMs / claims[0].claimMs, 2)
    const met =
      work.lost === GOAL.lost &&
      work.doubled === GOAL.doubled &&
      work.recoverySeconds <= GOAL.recoverySeconds &&
      claimGrowth <= GOAL.claimGrowth
    print(`  goal: none lost, none duplicated, taken over within ${GOAL.recoverySeconds} s, a claim among`)
    print(
      `  10,000 takes at most ${GOAL.claimGrowth} times as long as one among 100 (${claimGrowth}): ${met ? 'met' : 'NOT MET'}`,
    )
    if (!met) process.exitCode = 1
    const cost = full ? { cost: await measureCost(print) } : {}
    return { ...work, claims, claimGrowth, goal: GOAL, met, ...cost }
  } finally {
    await server.stop()
    for (const dir of [root, data]) rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function manyTasks(place, count) {
  call(place, 'migrate')
  const empty = await bytesOf(place.url)
  writeFileSync(join(place.root, 'tasks.yaml'), JSON.stringify({ tasks: tasksOf(place, count) }))
  call(place, 'submit', 'tasks.yaml', '--queue', 'bench')
  const queued = await bytesOf(place.url)
  const ended = []
  const taken = []
  const onEvent = (event, at) => {
    if (event.type === 'ended') ended.push(event.run)
    if (event.type === 'claimed' && event.from !== undefined) taken.push(at)
  }
  const began = performance.now()
  const workers = Array.from({ length: WORKERS }, (_, n) =>
    startWorker(place, n, { concurrency: CONCURRENCY, onEvent }),
  )
  // The killed worker may not have reported its last run, so the database is queried.
  const until = async (most) => {
    while ((await unfinished(place.url)) > most) {
      const exited = workers.find(({ child }) => child.exitCode !== null)
      if (exited !== undefined) throw new Error(`a worker ended: ${exited.output()}`)
      await sleep(POLL_MS)
    }
  }
  try {
    await until((count * 3) / 4)
    const connections = await connectionsOf(place.url)
    const killedAt = performance.now()
    workers[0].child.kill('SIGKILL')
    await until(0)
    const seconds = (performance.now() - began) / 1000
    const completed = await numberOf(place.url, "SELECT count(*) AS n FROM exitgate.tasks WHERE standing = 'completed'")
    const iterations = await decisions(place.url)
    return {
      tasks: count,
      workers: WORKERS,
      concurrency: CONCURRENCY,
      seconds: round(seconds, 1),
      tasksPerMinute: round((count / seconds) * 60, 1),
      lost: count - completed,
      doubled: ended.length - new Set(ended).size + iterations.doubled,
      takenOver: taken.length,
      recoverySeconds: round(Math.max(0, ...taken.map((at) => at - killedAt)) / 1000, 1),
      iterations: iterations.n,
      connectionsPerWorker: round(connections / WORKERS, 1),
      queuedBytesPerTask: Math.round((queued - empty) / count),
      bytesPerIteration: Math.round(((await bytesOf(place.url)) - queued) / iterations.n),
    }
  } finally {
    for (const { child } of workers) child.kill('SIGKILL')
    await Promise.all(workers.map(({ exited }) => exited))
  }
}

/** Every decided iteration, and those decided more than once. */
async function decisions(url) {
  const [row] = await rows(
    url,
    `SELECT sum(n)::int AS n, (count(*) FILTER (WHERE n > 1))::int AS doubled FROM (
       SELECT count(*) AS n FROM exitgate.lines WHERE text LIKE '%"type":"iteration.decided"%'
       GROUP BY run, (text::json ->> 'iteration')) decided`,
  )
  return row
}

/** Current connections of the workers, without the one of this query. */
const connectionsOf = (url) =>
  numberOf(
    url,
    'SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )

const unfinished = (url) =>
  numberOf(url, "SELECT count(*) AS n FROM exitgate.tasks WHERE standing IN ('waiting', 'ready', 'running')")

const bytesOf = (url) => numberOf(url, 'SELECT pg_database_size(current_database()) AS n')

const numberOf = async (url, sql) => Number((await rows(url, sql))[0].n)

async function rows(url, sql) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function growth(url, parts) {
  const found = []
  const { log } = console
  for (const queued of QUEUED) {
    await rows(url, `CREATE DATABASE queued_${queued}`)
    const own = url.replace(/\/postgres$/, `/queued_${queued}`)
    console.log = () => {}
    await parts.migrate(own).finally(() => (console.log = log))
    found.push(await claimsAmong(queued, own, parts))
  }
  return found
}

function printWork(print, work, full) {
  const { tasks, seconds, tasksPerMinute, lost, doubled, takenOver, recoverySeconds } = work
  print(
    `  ${tasks} tasks${full ? '' : ` (--full: ${TASKS.full})`}, ${WORKERS} workers with ${CONCURRENCY} runs each, one killed after a quarter`,
  )
  print(`  ${seconds} s, ${tasksPerMinute} tasks per minute; ${lost} lost, ${doubled} duplicated`)
  print(`  ${takenOver} runs of the killed worker taken over, the last after ${recoverySeconds} s (lease 5 s)`)
  print(
    `  database: ${work.bytesPerIteration} bytes per iteration, ${work.queuedBytesPerTask} bytes per queued task,\n    ${work.connectionsPerWorker} connections per worker`,
  )
}
