import { mkdirSync, readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode, removeFile, writeFileAtomic } from '../../system/files.ts'
import type { Host } from '../host.ts'
import { type Call, type Installation, InstallError, type Where } from './installation.ts'

/** Settings are small; a log that was named like them is not. */
const MOST_BYTES = 4 * 1024 * 1024

export interface Change {
  readonly file: string
  readonly changed: boolean
  readonly notes: readonly string[]
}

/** Writes our call into the host's configuration. Doing it twice changes nothing. */
export async function install(
  host: Host,
  where: Omit<Where, 'read'>,
  callFor: (more: readonly string[]) => Call,
): Promise<Change> {
  const installation = await host.installation()
  const [file = '', ...others] = filesOf(installation, where)
  // In two places we would be asked twice.
  for (const other of others) takeOutOf(installation, other)
  const text = readText(file)
  const next = named(file, () => installation.add(text, callFor(installation.options ?? [])))
  if (next !== text) writeText(file, next)
  return { file, changed: next !== text, notes: installation.notes }
}

/** The file that an installation would write to. */
export async function hookFile(host: Host, where: Omit<Where, 'read'>): Promise<string> {
  return filesOf(await host.installation(), where)[0] ?? ''
}

/** Takes our call out again, wherever it stands. */
export async function uninstall(host: Host, where: Omit<Where, 'read'>): Promise<readonly Change[]> {
  const installation = await host.installation()
  return filesOf(installation, where).map((file) => ({ file, changed: takeOutOf(installation, file), notes: [] }))
}

/** Our calls, by the file they stand in. */
export async function installed(
  host: Host,
  where: Omit<Where, 'read'>,
): Promise<readonly { file: string; command: string }[]> {
  const installation = await host.installation()
  return filesOf(installation, where).flatMap((file) => {
    const text = readText(file)
    return text === undefined ? [] : named(file, () => installation.find(text)).map((command) => ({ file, command }))
  })
}

const filesOf = (installation: Installation, where: Omit<Where, 'read'>): readonly string[] =>
  installation.files({ ...where, read: readText })

function takeOutOf(installation: Installation, file: string): boolean {
  const text = readText(file)
  if (text === undefined || named(file, () => installation.find(text)).length === 0) return false
  const left = named(file, () => installation.remove(text))
  if (left === undefined) removeWithFolder(file)
  else writeText(file, left)
  return true
}

/** Whoever reads the sentence has to know which file it is about. */
function named<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InstallError)) throw error
    throw new InstallError(`${file} was left as it is: ${error.message}; mend it, or write the hook by hand`)
  }
}

function readText(file: string): string | undefined {
  let bytes: Buffer
  try {
    if (statSync(file).size > MOST_BYTES)
      throw new InstallError(`${file} is too large for a configuration; nothing was changed`)
    bytes = readFileSync(file)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    if (error instanceof InstallError) throw error
    throw new InstallError(`${file} cannot be read (${errorCode(error)}); nothing was changed`)
  }
  const text = bytes.toString('utf8')
  // What does not come back as it was cannot be left byte for byte.
  if (!Buffer.from(text).equals(bytes)) throw new InstallError(`${file} is not a text in UTF-8; nothing was changed`)
  return text
}

/** As a whole or not at all, through a link to the file it stands for, with the permissions it had. */
function writeText(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    const target = statSync(file, { throwIfNoEntry: false }) === undefined ? file : realpathSync(file)
    const mode = statSync(target, { throwIfNoEntry: false })?.mode
    writeFileAtomic(target, text, mode === undefined ? { mode: 0o666 } : { exactMode: mode & 0o7777 })
  } catch (error) {
    throw new InstallError(`${file} cannot be written (${errorCode(error) || String(error)})`)
  }
}

/** A folder that only held our file was made for it. */
function removeWithFolder(file: string): void {
  removeFile(file)
  try {
    rmdirSync(dirname(file))
  } catch {
    // Something else is in it.
  }
}
