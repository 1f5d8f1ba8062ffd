#!/usr/bin/env node
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { Script } from 'node:vm'

/**
 * Starts the program from V8's compiled form of its hot part, because the program runs after every iteration and compiling is most of
 * its start-up time. The compiled form lies with the journals, outside the agent's reach; it counts only when it belongs to this user
 * alone, and another release of exitgate or Node makes its own.
 */
const file = join(__dirname, 'hot.cjs')
const place = placeOf()
const cachedData = place === undefined ? undefined : readOwn(place)
// The bundle is plain ASCII (tsdown.config.ts sees to it), so that it can be read without decoding.
const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`
const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) })
const hot = new Module(file)
hot.filename = file
const load = createRequire(file)
load.cache[file] = hot
script.runInThisContext()(hot.exports, load, hot, file, __dirname)
hot.loaded = true
load('./program.cjs')
if (place !== undefined && (cachedData === undefined || script.cachedDataRejected === true))
  process.once('exit', () => keep(place))

function placeOf(): string | undefined {
  const { EXITGATE_STATE_DIR: chosen, XDG_STATE_HOME: xdg } = process.env
  const home = homedir()
  const root =
    chosen ||
    (xdg && isAbsolute(xdg) ? join(xdg, 'exitgate') : isAbsolute(home) ? join(home, '.local/state/exitgate') : '')
  if (root === '') return undefined
  const { size, mtimeMs } = statSync(file)
  return join(root, 'compiled', `${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}`)
}

function readOwn(path: string): Buffer | undefined {
  try {
    const fd = openSync(path, 'r')
    try {
      const { uid, mode } = fstatSync(fd)
      return uid === process.getuid?.() && (mode & 0o077) === 0 ? readFileSync(fd) : undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

function keep(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, script.createCachedData(), { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch {
    // Without it the next start is only as slow as this one.
  }
}
