import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { withLock } from './lock.mjs'
import { run, Stop } from './run.mjs'

const lockOf = (root) => join(root, '.tools', 'bootstrap.lock')
const installRecord = (root) => join(root, 'node_modules', '.exitgate-lock')
const buildRecord = (root) => join(root, 'node_modules', '.exitgate-build')

export const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
// By default npm waits more than a minute for a missing network.
export const FETCH_LIMITS = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000']

/** Installs node_modules as in package-lock.json, for this platform. */
export async function ensureInstalled(root, log) {
  if (installed(root)) return
  await locked(root, log, async () => {
    if (installed(root)) return
    log('installing packages (npm ci)')
    rmSync(installRecord(root), { force: true })
    const ended = await npm(['ci', ...quietly, ...FETCH_LIMITS], root)
    if (ended.signal) throw new Stop('', ended)
    if (ended.code !== 0) {
      if (/E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|network/i.test(ended.stderr)) {
        throw new Stop(
          "Can't fetch the packages: no connection to the package registry. Connect once, then run this again.",
        )
      }
      process.stderr.write(ended.stderr)
      throw new Stop(`npm ci failed with exit code ${ended.code}. See its output above.`)
    }
    writeFileSync(installRecord(root), installKey(root))
  })
}

/** Builds dist from the sources. It is built next to dist and then moved there, so a failed build leaves nothing half-done. */
export async function ensureBuilt(root, log) {
  const key = buildKey(root)
  if (built(root, key)) return
  await locked(root, log, async () => {
    if (built(root, key)) return
    log('building (tsdown)')
    rmSync(buildRecord(root), { force: true })
    const next = join(root, '.tools', 'dist-next')
    rmSync(next, { recursive: true, force: true })
    const tsdown = join('node_modules', 'tsdown', 'dist', 'run.mjs')
    const ended = await run(process.execPath, [tsdown, '--log-level', 'error'], {
      cwd: root,
      env: { ...process.env, DIST: next },
      stdio: ['ignore', 2, 'pipe'],
    })
    if (ended.signal) throw new Stop('', ended)
    // tsdown's advice about its next release doesn't help a user of `npm start`.
    process.stderr.write(ended.stderr.replace(/^.*Node\.js v\S+ is deprecated.*\n+/m, ''))
    if (ended.code !== 0) throw new Stop(`The build failed with exit code ${ended.code}. See its output above.`)
    const last = join(root, '.tools', 'dist-last')
    rmSync(last, { recursive: true, force: true })
    if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), last)
    renameSync(next, join(root, 'dist'))
    rmSync(last, { recursive: true, force: true })
    // The tests' compiled form of the last build (tests/e2e/program.cjs).
    rmSync(join(root, '.tools', 'compiled'), { recursive: true, force: true })
    writeFileSync(buildRecord(root), JSON.stringify({ key, files: sizes(join(root, 'dist')) }))
  })
}

/** The npm that started us, or else the one on the path. */
export function npm(args, cwd) {
  const script = process.env.npm_execpath
  const stdio = ['ignore', 2, 'pipe']
  if (script && /^npm(-cli)?\.c?js$/.test(basename(script)))
    return run(process.execPath, [script, ...args], { cwd, stdio })
  return run('npm', args, { cwd, stdio, shell: process.platform === 'win32' }).catch(() => {
    throw new Stop('npm was not found. It comes with Node, see nodejs.org.')
  })
}

function locked(root, log, work) {
  const waiting = (pid) => log(`waiting for another bootstrap${pid ? ` (process ${pid})` : ''}`)
  return withLock(lockOf(root), work, { waiting })
}

function installKey(root) {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${hash} ${process.platform}-${process.arch}\n`
}

function installed(root) {
  const key = installKey(root)
  if (readOr(installRecord(root), '') === key) return true
  if (!sameAsLock(root)) return false
  writeFileSync(installRecord(root), key)
  return true
}

/** If you ran npm by hand, npm's own record of node_modules shows whether it matches the lock file. */
function sameAsLock(root) {
  const inner = readOr(join(root, 'node_modules', '.package-lock.json'), '')
  if (!inner) return false
  const asked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const present = JSON.parse(inner).packages
  return Object.entries(asked).every(([path, wanted]) => {
    if (path === '') return true
    if (present[path]) return present[path].version === wanted.version && existsSync(join(root, path))
    return wanted.optional === true && !fits(wanted)
  })
}

/** Optional packages without a platform of their own are below platform packages, so it doesn't matter if they are missing. */
function fits({ os, cpu, libc }) {
  if (!os && !cpu) return false
  if (libc && !libc.includes(process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl')) return false
  return (!os || os.includes(process.platform)) && (!cpu || cpu.includes(process.arch))
}

function buildKey(root) {
  const hash = createHash('sha256')
  const sources = ['src', 'packages'].flatMap((top) => filesBelow(join(root, top)).map((file) => join(top, file)))
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts', 'scripts/page-parts.mjs']
  for (const file of [...sources, ...settings.filter((name) => existsSync(join(root, name)))]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  return hash.digest('hex')
}

function built(root, key) {
  const record = JSON.parse(readOr(buildRecord(root), '{}'))
  if (record.key !== key) return false
  return JSON.stringify(sizes(join(root, 'dist'))) === JSON.stringify(record.files)
}

function sizes(folder) {
  return Object.fromEntries(filesBelow(folder).map((file) => [file, statSync(join(folder, file)).size]))
}

/** Relative paths, sorted. */
function filesBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

function readOr(file, otherwise) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}
