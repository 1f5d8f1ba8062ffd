#!/usr/bin/env node
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, type Stats, writeFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { Script } from 'node:vm'

/** The first starts each add to a compiled form what they needed and the ones before did not. Then it is left as it is. */
const GROWING_STARTS = 4

/** As in exit-codes.ts, which would be a part of the program. */
const INTERNAL = 70

/**
 * Starts the program from V8's compiled form of it, because it runs after every iteration and compiling is most of its start-up time.
 * The compiled forms, one for each part of the program, lie with the journals, outside the agent's reach; they count only when they
 * belong to this user alone, and another release of exitgate or Node makes its own.
 */
const folder = folderOfForms()
const parts = new Map<string, { readonly exports: object }>()
const atEnd: (() => void)[] = []
load('./program.cjs')

/** What a part of the program asks for: another part, or a module of Node or of a library. */
function load(name: string): unknown {
  if (!name.startsWith('./')) return require(name)
  let part = parts.get(name)
  if (part === undefined) {
    part = { exports: {} }
    parts.set(name, part)
    const path = join(__dirname, name)
    compiled(path).runInThisContext()(part.exports, load, part, path, __dirname)
  }
  return part.exports
}

function compiled(path: string): Script {
  const { bytes, stats } = readPart(path)
  const { size, mtimeMs } = stats
  const name = `${process.version}-${process.arch}-${basename(path, '.cjs')}-${size}-${Math.trunc(mtimeMs)}`
  const form = folder && join(folder, name)
  const kept = form === undefined ? undefined : readForm(form)
  // A part is plain ASCII and one function (tsdown.config.ts sees to both), so that its text is not decoded and not copied.
  const script = new Script(bytes.toString('latin1'), { filename: path, ...(kept && { cachedData: kept.data }) })
  const starts = kept === undefined || script.cachedDataRejected ? 0 : kept.starts
  if (form !== undefined && starts < GROWING_STARTS) keepAtEnd(() => keep(form, script, starts + 1))
  return script
}

/** One listener for all of them: a command with many parts is no leak. */
function keepAtEnd(work: () => void): void {
  if (atEnd.length === 0)
    process.once('exit', () => {
      for (const each of atEnd) each()
    })
  atEnd.push(work)
}

function readPart(path: string): Contents {
  try {
    return read(path)
  } catch (error) {
    console.error(`exitgate: ${(error as Error).message}; the program is not whole, install it again`)
    process.exit(INTERNAL)
  }
}

/** `HOME` is asked directly: `node:os` would have to be loaded for it. Where there is none, nothing is kept. */
function folderOfForms(): string | undefined {
  const { EXITGATE_STATE_DIR: chosen, XDG_STATE_HOME: xdg, LOCALAPPDATA: local, HOME: home } = process.env
  const bases = [xdg, local, home && join(home, '.local/state')]
  const base = bases.find((place) => place && isAbsolute(place))
  const root = chosen || (base && join(base, 'exitgate'))
  return root && join(root, 'compiled')
}

interface Form {
  readonly data: Buffer
  /** How many starts have made it what it is. */
  readonly starts: number
}

/** V8 believes whatever it is given, so the file holds the form twice: nothing finds damage faster than comparing. */
function readForm(path: string): Form | undefined {
  try {
    const { bytes, stats } = read(path)
    if (stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) return undefined
    const half = (bytes.length - 1) >> 1
    const data = bytes.subarray(0, half)
    return data.equals(bytes.subarray(half, -1)) ? { data, starts: bytes[2 * half] ?? 0 } : undefined
  } catch {
    return undefined
  }
}

function keep(path: string, script: Script, starts: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const draft = `${path}.${process.pid}`
    const data = script.createCachedData()
    writeFileSync(draft, Buffer.concat([data, data, Buffer.from([starts])]), { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch {
    // Without it the next start is only as slow as this one.
  }
}

interface Contents {
  readonly bytes: Buffer
  readonly stats: Stats
}

/** The plainest calls: what else `readFileSync` does takes longer than the reading. */
function read(path: string): Contents {
  const fd = openSync(path, 'r')
  try {
    const stats = fstatSync(fd)
    const bytes = Buffer.allocUnsafeSlow(stats.size)
    return { bytes: bytes.subarray(0, readSync(fd, bytes, 0, stats.size, 0)), stats }
  } finally {
    closeSync(fd)
  }
}
