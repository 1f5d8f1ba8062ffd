// One trial of the fleet's faults: a private PostgreSQL, a repository, tasks and workers of the built program.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { call, makePlace, startWorker } from '../bench/fleet/place.mjs'
import { startPostgres } from '../scripts/postgres.mjs'

/** Nothing in the trial takes this long, however busy the machine is, so a fleet that is silent for so long is stuck. */
const SILENT_MS = 120_000
const LEAVE_MS = 60_000
/** Rows of dead workers are removed after 20 leases, what DBOS kept of their runs after a minute. */
const SWEPT_AFTER_MS = 65_000

const AGENTS = {
  second: 'sleep 1',
  long: 'sleep 8',
  twice: `sleep 1; if [ "$EXITGATE_ITERATION" = 1 ]; then echo part > part.txt
printf 'Working.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest\\n'; exit; fi`,
  tests: ': > slow',
  more: 'echo more > more.txt',
}

/**
 * Runs tasks on workers of the built program, causes the fault, and waits until every task has ended. Ok if each was completed
 * once, and if every worker exits on the first signal with code 0, SIGTERM or SIGINT in turn.
 */
export async function inFleet({ dir, workers, lease, tasks, isSwept = false }, damage) {
  // The server's folder belongs to its own user, so it is not in ours.
  const data = mkdtempSync(join(tmpdir(), 'exitgate-faults-pg-'))
  mkdirSync(dir, { recursive: true })
  const server = await startPostgres({ dir: data, fast: true })
  const network = await proxyTo(server.url)
  const running = new Map()
  const problems = []
  try {
    const place = makePlace(dir, network.url, { agents: AGENTS })
    // The proxy can't answer while a command runs to its end.
    const direct = { ...place, env: { ...place.env, EXITGATE_FLEET_DB: server.url } }
    call(direct, 'migrate')
    const submit = (list) => {
      const complete = list.map((task) => ({ prompt: 'Do it.', repository: place.remote, ...task }))
      writeFileSync(join(dir, 'tasks.yaml'), JSON.stringify({ tasks: complete }))
      call(direct, 'submit', 'tasks.yaml', '--queue', 'bench')
    }
    submit(tasks)
    const events = []
    let machines = 0
    let lastAt = performance.now()
    const onEvent = (event) => {
      lastAt = performance.now()
      events.push(event)
    }
    const begin = () => {
      const n = ++machines
      running.set(n, startWorker(place, n, { concurrency: 2, lease, onEvent }))
    }
    const leave = async (signal, [n, worker] = [...running][0]) => {
      running.delete(n)
      worker.child.kill(signal)
      const code = await Promise.race([worker.exited, sleep(LEAVE_MS, 'no exit', { ref: false })])
      if (code !== (signal === 'SIGKILL' ? null : 0)) problems.push(`${signal}: ${code} ${worker.output()}`)
      worker.child.kill('SIGKILL')
      await worker.exited
    }
    const control = async (task, kind) => {
      const sql = `INSERT INTO exitgate.controls (run, kind, by, reason) SELECT r.id, '${kind}', 'faults', 'a trial' FROM exitgate.runs r
        JOIN exitgate.tasks t ON t.id = r.task WHERE t.name = '${task}' RETURNING 1`
      if (!(await waitFor(async () => (await query(server.url, sql)).length === 1))) problems.push(`no ${kind}`)
    }
    const iterations = () => events.filter(({ type, event }) => type === 'loop' && event?.type === 'iteration').length
    for (let n = 0; n < workers; n++) begin()
    await damage({
      ...{ begin, leave },
      started: (count) => waitFor(() => iterations() >= count),
      replace: async () => {
        await leave('SIGKILL')
        begin()
      },
      pause: (task) => control(task, 'pause'),
      resume: (task) => control(task, 'resume'),
      cut: (how) => (how in network ? network[how]() : server[how]()),
      repair: (how) => (how in network ? network.repair() : server.start()),
      /** Locks the table until a query waits for it, then does something, and unlocks it. */
      whileWaitingFor: async (table, act) => {
        const client = new pg.Client({ connectionString: server.url })
        await client.connect()
        await client.query(`BEGIN; LOCK TABLE ${table}`)
        begin()
        const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        if (!(await waitFor(async () => (await query(server.url, waiting)).length > 0))) problems.push('no query waits')
        act()
        await client.end()
      },
    })
    const unfinished = () => count(server.url, "exitgate.tasks WHERE standing IN ('waiting', 'ready', 'running')")
    const from = performance.now()
    lastAt = from
    let isFinished = false
    while (!isFinished && performance.now() - lastAt < SILENT_MS)
      isFinished = await waitFor(async () => (await unfinished()) === 0, 5_000)
    const seconds = Math.round((performance.now() - from) / 1000)
    if (!isFinished) problems.push(`${await unfinished()} tasks did not finish: ${await stuck(server.url)}`)
    problems.push(...(await lostOrDoubled(server.url, tasks.length, events)))
    for (const [at, worker] of [...running].entries()) await leave(at % 2 === 0 ? 'SIGTERM' : 'SIGINT', worker)
    let left = await leftovers(server.url, place.remote)
    const taken = events.filter(({ type, from: previous }) => type === 'claimed' && previous !== undefined).length
    let detail = `${tasks.length} tasks completed once, ${taken} taken over, all done ${seconds} s later; left: ${shown(left)}`
    if (isSwept) {
      await sleep(SWEPT_AFTER_MS)
      submit([{ id: 'last', agent: 'instant' }])
      begin()
      const isOnlyWorker = async () => {
        const found = await leftovers(server.url, place.remote)
        return isNothing({ ...found, workers: found.workers - 1 })
      }
      await waitFor(async () => (await unfinished()) === 0 && (await isOnlyWorker()), 30_000)
      await leave('SIGTERM')
      left = await leftovers(server.url, place.remote)
      if (!isNothing(left)) problems.push(`not swept: ${shown(left)}`)
      detail += `; after the next worker: ${shown(left)}`
    }
    return { ok: problems.length === 0, detail: problems.join('; ') || detail }
  } finally {
    for (const { child } of running.values()) child.kill('SIGKILL')
    await Promise.all([...running.values()].map(({ exited }) => exited))
    network.close()
    await server.stop()
    for (const folder of [data, dir]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Passes everything on until `silence` or `loss`. Then bytes wait, and neither side gets an error or an answer. After a loss, only new
 * connections work.
 */
async function proxyTo(url) {
  const { hostname, port } = new URL(url)
  const pairs = new Set()
  const lost = new Set()
  let isCut = false
  const server = createServer((near) => {
    const far = dial(Number(port), hostname)
    const pair = [near, far]
    pairs.add(pair)
    for (const socket of pair)
      socket
        .on('error', () => {})
        .on('close', () => {
          pairs.delete(pair)
          for (const each of pair) each.destroy()
        })
    if (isCut) return
    near.pipe(far).pipe(near)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const silence = () => {
    isCut = true
    for (const [near, far] of pairs) {
      near.unpipe(far).pause()
      far.unpipe(near).pause()
    }
  }
  return {
    url: url.replace(`:${port}/`, `:${server.address().port}/`),
    silence,
    loss() {
      silence()
      for (const pair of pairs) lost.add(pair)
    },
    repair() {
      isCut = false
      for (const pair of pairs) if (!lost.has(pair)) pair[0].pipe(pair[1]).pipe(pair[0])
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      server.close()
    },
  }
}

/** False if it didn't happen in time. */
async function waitFor(holds, ms = SILENT_MS) {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(200))
    if (await Promise.resolve(holds()).catch(() => false)) return true
  return false
}

async function lostOrDoubled(url, tasks, events) {
  const completed = await count(url, "exitgate.tasks WHERE standing = 'completed'")
  const others = await query(url, "SELECT name, standing, reason FROM exitgate.tasks WHERE standing <> 'completed'")
  const ended = events.filter(({ type }) => type === 'ended').map(({ run }) => run)
  const runs = await count(url, '(SELECT 1 FROM exitgate.runs GROUP BY task HAVING count(*) > 1) twice')
  const decisions = await count(
    url,
    `(SELECT 1 FROM exitgate.lines WHERE text LIKE '%"type":"iteration.decided"%'
      GROUP BY run, (text::json ->> 'iteration') HAVING count(*) > 1) twice`,
  )
  return [
    completed === tasks ? '' : `${completed} of ${tasks} tasks completed: ${JSON.stringify(others)}`,
    new Set(ended).size === ended.length ? '' : `${ended.length - new Set(ended).size} tasks ended twice`,
    runs === 0 ? '' : `${runs} tasks have two runs`,
    decisions === 0 ? '' : `${decisions} iterations were decided twice`,
  ].filter((problem) => problem !== '')
}

/** What only a fleet at work should have. */
async function leftovers(url, remote) {
  const refs = spawnSync('git', ['for-each-ref', 'refs/exitgate'], { cwd: remote, encoding: 'utf8' }).stdout
  return {
    refs: refs.split('\n').filter(Boolean).length,
    workers: await count(url, 'exitgate.workers'),
    queues: await count(url, 'exitgate_dbos.queues'),
    workflows: await count(url, 'exitgate_dbos.workflow_status'),
  }
}

const isNothing = (left) => Object.values(left).every((n) => n === 0)

const shown = (left) =>
  Object.entries(left)
    .map(([what, n]) => `${n} ${what}`)
    .join(', ')

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
