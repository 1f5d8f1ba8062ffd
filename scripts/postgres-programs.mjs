import { spawnSync } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { env, geteuid, platform } from 'node:process'

/** Debian keeps one folder for each version, Homebrew one for each formula; the newest is taken. */
const PLACES = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']

/** Where initdb and postgres are: { bin } or, where there are none, { missing } with the remedy. */
export function postgresPrograms() {
  const versions = PLACES.flatMap((place) => namesIn(place).map((name) => join(place, name, 'bin')))
  const onPath = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const chosen = env.POSTGRES_BIN ? [env.POSTGRES_BIN] : []
  const bin = [...chosen, ...versions, ...onPath].find((folder) => canRun(join(folder, 'initdb')))
  if (bin === undefined) {
    const how =
      platform === 'darwin' ? 'brew install postgresql@17' : 'node scripts/postgres.mjs --install as root on Debian'
    return { missing: `no PostgreSQL was found: name its folder of programs with POSTGRES_BIN=..., or ${how}` }
  }
  if (servant() === undefined)
    return { missing: 'PostgreSQL refuses root, and there is no user postgres or nobody here' }
  return { bin }
}

function namesIn(place) {
  try {
    const names = readdirSync(place).filter((name) => /^(?:\d+|postgresql(?:@\d+)?)$/.test(name))
    return names.sort((one, other) => Number(/\d+$/.exec(other) ?? 0) - Number(/\d+$/.exec(one) ?? 0))
  } catch {
    return []
  }
}

function canRun(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Who runs the server: ourselves, or for root one of the users who may do nothing else. */
export function servant() {
  if (geteuid?.() !== 0) return {}
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const found = ['postgres', 'nobody'].map((name) => lines.find((line) => line.startsWith(`${name}:`)))
  const [, , uid, gid] = (found.find((line) => line !== undefined) ?? '').split(':')
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** Debian's own package, when we may install one. Its own server is not wanted, only the programs. */
export function installPackage(name) {
  if (platform !== 'linux' || geteuid?.() !== 0) return
  const run = (args) =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    }).status === 0
  const wanted = ['install', '-qq', '-y', '--no-install-recommends', name]
  if (!run(wanted) && run(['update', '-qq'])) run(wanted)
}
