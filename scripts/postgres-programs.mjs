import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { env, geteuid } from 'node:process'

/** Debian has one folder per version, Homebrew one per formula; the newest is used. */
const PLACES = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt']

/** The folder of initdb and postgres: { bin }, or { missing } with the remedy. */
export function postgresPrograms() {
  const places = env.EXITGATE_BARE ? [] : PLACES
  const versions = places.flatMap((place) => namesIn(place).map((name) => join(place, name, 'bin')))
  const onPath = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const chosen = env.POSTGRES_BIN ? [env.POSTGRES_BIN] : []
  const bin = [...chosen, ...versions, ...onPath].find((folder) => canRun(join(folder, 'initdb')))
  if (bin === undefined) {
    return { missing: 'no PostgreSQL found. Set POSTGRES_BIN=... to its folder of programs, or run npm run programs' }
  }
  if (serverUser() === undefined)
    return { missing: 'PostgreSQL refuses to run as root, and neither the user postgres nor nobody exists' }
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

/** The user that runs the server: ours, or for root one without other permissions. */
export function serverUser() {
  if (geteuid?.() !== 0) return {}
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const found = ['postgres', 'nobody'].map((name) => lines.find((line) => line.startsWith(`${name}:`)))
  const [, , uid, gid] = (found.find((line) => line !== undefined) ?? '').split(':')
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}
