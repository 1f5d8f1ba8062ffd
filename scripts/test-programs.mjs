// npm run programs: installs the programs that some tests need, where that is possible. Before all tests, `npm test` does the same.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, env, geteuid, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { browserProgram } from './browser-program.mjs'
import { postgresPrograms } from './postgres-programs.mjs'

const isOnPath = (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0

/** Packages of Debian, the first that exists, and the formula of Homebrew. */
const PROGRAMS = [
  { isHere: () => isOnPath('bwrap'), debian: ['bubblewrap'] },
  { isHere: () => browserProgram().path, debian: ['chromium-headless-shell', 'chromium'], brew: 'chromium' },
  { isHere: () => postgresPrograms().bin, debian: ['postgresql'], brew: 'postgresql@17' },
  ...['python3', 'tmux', 'lsof', 'zsh', 'fish', 'mandoc', 'groff'].map((name) => ({
    isHere: () => isOnPath(name),
    debian: [name],
    brew: name,
  })),
  { isHere: () => isOnPath('bats'), debian: ['bats'], brew: 'bats-core' },
].filter(({ brew }) => platform !== 'darwin' || brew !== undefined)

/** An installation ends after this time, except while it unpacks: that can't be interrupted. */
const MINUTES = 4
/** Without a connection, not every `npm test` should wait for one. */
const AGAIN_MS = 24 * 60 * 60 * 1000

/** Installs what is missing as root on Debian. Otherwise it prints the command. It never fails: the tests are skipped by name then. */
export function ensurePrograms(root, log, { again = false } = {}) {
  const missing = PROGRAMS.filter(({ isHere }) => !isHere())
  if (missing.length === 0 || env.EXITGATE_BARE) return
  const names = missing.map(({ debian, brew }) => (platform === 'darwin' ? brew : debian.at(-1)))
  const tried = join(root, '.tools', 'programs-tried')
  const canInstall = platform === 'linux' && geteuid?.() === 0 && isOnPath('apt-get') && !env.EXITGATE_NO_INSTALL
  if (canInstall && (again || isNew(tried, names))) {
    const off = 'EXITGATE_NO_INSTALL=1 turns this off'
    log(`installing ${names.join(', ')} for the tests that need them (at most ${MINUTES} minutes; ${off})`)
    installPackages(missing)
  }
  const left = names.filter((_, index) => !missing[index].isHere())
  mkdirSync(dirname(tried), { recursive: true })
  if (canInstall) writeFileSync(tried, JSON.stringify({ names: left, at: Date.now() }))
  if (left.length > 0) log(`some tests will be skipped. To run them too: ${installCommand()} ${left.join(' ')}`)
}

/** Nothing that is missing now was tried lately. */
function isNew(file, names) {
  try {
    const { names: before, at } = JSON.parse(readFileSync(file, 'utf8'))
    return Date.now() - at > AGAIN_MS || names.some((name) => !before.includes(name))
  } catch {
    return true
  }
}

const installCommand = () => {
  if (platform === 'darwin') return 'brew install'
  return isOnPath('apt-get') ? `${geteuid?.() === 0 ? '' : 'sudo '}apt-get install` : 'install'
}

function installPackages(missing) {
  const end = Date.now() + MINUTES * 60_000
  const options = [
    'Acquire::Retries=0',
    'Acquire::http::Timeout=10',
    'Acquire::https::Timeout=10',
    'DPkg::Lock::Timeout=20',
  ]
  // Without a run level, a database is not started when it is installed.
  const environment = { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const apt = (args, timeout) => {
    const all = ['-qq', '-y', '--no-install-recommends', ...options.flatMap((each) => ['-o', each]), ...args]
    return spawnSync('apt-get', all, { stdio: 'ignore', env: environment, timeout }).status === 0
  }
  const left = () => Math.max(1, end - Date.now())
  const exists = (name) => spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0
  if (!missing.every(({ debian }) => debian.some(exists)) && !apt(['update'], Math.min(60_000, left()))) return
  for (const { debian } of missing) {
    const name = debian.find(exists)
    if (name === undefined) continue
    // Only the download is interrupted.
    if (apt(['install', '--download-only', name], left())) apt(['install', '--no-download', name])
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  ensurePrograms(root, (line) => console.error(`exitgate: ${line}`), { again: true })
}
