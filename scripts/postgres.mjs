import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { argv, env, exit, kill as signal } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { postgresPrograms, serverUser } from './postgres-programs.mjs'

export { postgresPrograms }

const USAGE = `usage: node scripts/postgres.mjs start|stop|restart|status [--dir DIR] [--port N] [--fast]`
const OWNER = 'exitgate'
const DEADLINE_MS = 60_000

/**
 * Starts a separate PostgreSQL. Its data, log and socket are in the folder; it listens on loopback only and requires a password. It
 * ends with this process unless `stay` is set. `fast` disables durability, for tests.
 */
export async function startPostgres({ dir, fast = false, stay = false, port }) {
  const { bin, missing } = postgresPrograms()
  if (bin === undefined) throw new Error(missing)
  const place = { bin, dir: resolve(dir), user: serverUser(), fast, stay }
  prepare(place)
  const running = pidOf(place)
  const server = running === undefined ? await startOnPort(place, port) : { ...facts(place), pid: running }
  let pid = server.pid
  let guard = stay ? undefined : startGuard(pid)
  const end = async (how) => {
    guard?.kill()
    await ended(pid, how)
  }
  const start = async () => {
    pid = (await startOnPort(place, server.port)).pid
    guard = stay ? undefined : startGuard(pid)
  }
  return {
    url: server.url,
    get pid() {
      return pid
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    start,
    restart: async () => {
      await end('SIGINT')
      await start()
    },
  }
}

/** A folder with a new cluster, owned by the user that runs the server. */
function prepare({ bin, dir, user, fast }) {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const foreign = readdirSync(dir).filter(
    (name) => !/^(?:data|log|password|port|\.s\.PGSQL\.\d+(?:\.lock)?)$/.test(name),
  )
  if (foreign.length > 0)
    throw new Error(`${dir} contains ${foreign[0]}, which does not belong to PostgreSQL. Use another folder.`)
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid)
  const able = spawnSync('test', ['-w', dir, '-a', '-x', dir], { cwd: '/', ...user }).status === 0
  if (!able)
    throw new Error(`The user that runs PostgreSQL (${user.uid ?? 'you'}) can't access ${dir}. Use another folder.`)
  if (existsSync(join(dir, 'data', 'PG_VERSION'))) return
  const password = join(dir, 'password')
  writeFileSync(password, `${randomBytes(18).toString('hex')}\n`, { mode: 0o600 })
  if (user.uid !== undefined) chownSync(password, user.uid, user.gid)
  const options = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', ...(fast ? ['--no-sync'] : [])]
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', join(dir, 'data'), '-U', OWNER, `--pwfile=${password}`, ...options],
    { cwd: dir, ...user, env: environment(), encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed in ${dir}: ${(made.stderr || String(made.error)).trim()}`)
}

/** The server inherits nothing from our environment. */
const environment = () => ({ PATH: env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' })

/** Another process may take a free port before the server does; then the next one is tried. */
async function startOnPort(place, wanted) {
  const kept = existsSync(join(place.dir, 'port')) ? Number(readFileSync(join(place.dir, 'port'), 'utf8')) : undefined
  const ports = [wanted ?? kept].filter((port) => port !== undefined)
  for (let tries = 0; ; tries++) {
    const port = ports[tries] ?? (await freePort())
    const { pid, problem } = await startOnce(place, port)
    if (problem === undefined) {
      writeFileSync(join(place.dir, 'port'), `${port}\n`)
      return { ...facts(place), pid }
    }
    const isTaken = /could not bind|Address already in use/.test(problem)
    if (!isTaken || tries >= 5 || wanted !== undefined)
      throw new Error(`PostgreSQL did not start in ${place.dir}: ${problem}`)
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function startOnce(place, port) {
  const { bin, dir, user, fast } = place
  const socket = Buffer.byteLength(dir) < 80 ? dir : ''
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${socket}`,
    'max_connections=200',
    // Committed data still survives a crash of the server, but not of the machine.
    ...(fast ? ['fsync=off', 'full_page_writes=off'] : []),
  ]
  const log = openSync(join(dir, 'log'), 'w', 0o600)
  const child = spawn(join(bin, 'postgres'), ['-D', join(dir, 'data'), ...settings.flatMap((each) => ['-c', each])], {
    cwd: dir,
    ...user,
    env: environment(),
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  let over = false
  child.once('exit', () => (over = true))
  child.once('error', () => (over = true))
  child.unref()
  // Children of a killed server hold its shared memory for a moment. The new server reports that and exits, so it is started again.
  for (const late = performance.now() + DEADLINE_MS; performance.now() < late; await sleep(20)) {
    if (pidOf(place) === child.pid && stateOf(place) === 'ready') return { pid: child.pid }
    if (!over) continue
    const said = readFileSync(join(dir, 'log'), 'utf8').trim()
    if (!/shared memory block|is still in use/.test(said)) return { problem: said || 'it exited without a message' }
    await sleep(200)
    return startOnce(place, port)
  }
  if (child.pid !== undefined) await ended(child.pid, 'SIGQUIT')
  return { problem: `it was not ready within ${DEADLINE_MS / 1000} s. Its log is ${join(dir, 'log')}` }
}

const pidFile = ({ dir }) => {
  const path = join(dir, 'data', 'postmaster.pid')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}

const stateOf = (place) => pidFile(place)[7]?.trim()

/** The server of this folder, if it is running. */
function pidOf(place) {
  const pid = Number(pidFile(place)[0] ?? Number.NaN)
  return Number.isInteger(pid) && isAlive(pid) ? pid : undefined
}

function isAlive(pid) {
  try {
    signal(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function facts({ dir }) {
  const [port, password] = ['port', 'password'].map((name) => readFileSync(join(dir, name), 'utf8').trim())
  return { url: `postgresql://${OWNER}:${password}@127.0.0.1:${port}/postgres`, port: Number(port) }
}

/** Ends the server when this process ends for any reason, because then the other end of the pipe closes. */
function startGuard(pid) {
  const script = 'while read -r line; do :; done; kill -INT "$1"'
  const child = spawn('sh', ['-c', script, 'sh', String(pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  child.on('error', () => {})
  child.unref()
  child.stdin.on('error', () => {})
  child.stdin.unref()
  return child
}

/** SIGINT closes every connection and shuts down cleanly; SIGKILL simulates a power failure. */
async function ended(pid, how) {
  if (!isAlive(pid)) return
  signal(pid, how)
  for (const late = performance.now() + DEADLINE_MS; isAlive(pid); await sleep(20)) {
    if (performance.now() > late) throw new Error(`PostgreSQL (process ${pid}) did not exit on ${how}`)
  }
}

/** The value after an option; undefined if it is not given. */
function given(args, name) {
  const at = args.indexOf(name)
  if (at < 0) return undefined
  const value = args[at + 1]
  if (value === undefined || value.startsWith('--')) throw new Error(`${name} wants a value`)
  return value
}

async function main(args) {
  const command = args[0]
  const place = { dir: resolve(given(args, '--dir') ?? '.tools/postgres') }
  const port = given(args, '--port')
  const begin = () => startPostgres({ ...place, fast: args.includes('--fast'), stay: true, port: port && Number(port) })
  const running = pidOf(place)
  if (command === 'status') {
    console.log(running === undefined ? 'not running' : facts(place).url)
    return running === undefined ? 1 : 0
  }
  if (command !== 'start' && command !== 'stop' && command !== 'restart') throw new Error(USAGE)
  if (command !== 'start' && running !== undefined) await ended(running, 'SIGINT')
  if (command !== 'stop') console.log((await begin()).url)
  return 0
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  main(argv.slice(2)).then(exit, (error) => {
    console.error(error instanceof Error ? error.message : error)
    exit(1)
  })
}
