import { readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs'
import { dirname, relative, sep } from 'node:path'
import { createdFolder, recordOwnEdit } from '../../evidence/own-edits.ts'
import { errorCode, makeFolder, removeFile, writeFileAtomic } from '../../system/files.ts'
import type { HookClient } from '../hook-client.ts'
import { type Call, type Installation, InstallError, type Where } from './installation.ts'

/** A settings file is never larger. */
const MAX_BYTES = 4 * 1024 * 1024

export interface Change {
  readonly file: string
  readonly changed: boolean
  readonly notes: readonly string[]
}

/** Where it is recorded that exitgate itself wrote these files: the state folder of the project, or of the user's home. */
export type RecordIn = string | undefined

/** Adds the hook to the client's configuration. Doing it twice changes nothing. */
export async function install(
  client: HookClient,
  where: Omit<Where, 'read'>,
  callFor: (more: readonly string[]) => Call,
  recordIn: RecordIn,
): Promise<Change> {
  const installation = await client.installation()
  const [file, ...others] = filesOf(installation, where)
  if (file === undefined) throw new InstallError(`${client.name} has no hooks in projects. Repeat it with --user.`)
  // In two files, the hook would run twice.
  for (const other of others) removeFrom(installation, other, where, recordIn)
  const text = readText(file)
  const next = withFileName(file, () => installation.add(text, callFor(installation.options ?? [])))
  if (next !== text) {
    const created = writeText(file, next)
    record(recordIn, where, file, {
      ...(text === undefined ? {} : { before: text }),
      after: next,
      ...(created === undefined ? {} : { created }),
    })
  }
  return { file, changed: next !== text, notes: installation.notes }
}

/** The file that `install` would write. */
export async function hookFile(client: HookClient, where: Omit<Where, 'read'>): Promise<string> {
  return filesOf(await client.installation(), where)[0] ?? ''
}

/** Removes the hook from all files. */
export async function uninstall(
  client: HookClient,
  where: Omit<Where, 'read'>,
  recordIn: RecordIn,
): Promise<readonly Change[]> {
  const installation = await client.installation()
  return filesOf(installation, where).map((file) => ({
    file,
    changed: removeFrom(installation, file, where, recordIn),
    notes: [],
  }))
}

/** The installed hooks with their files. */
export async function installed(
  client: HookClient,
  where: Omit<Where, 'read'>,
): Promise<readonly { file: string; command: string }[]> {
  const installation = await client.installation()
  return filesOf(installation, where).flatMap((file) => {
    const text = readText(file)
    return text === undefined
      ? []
      : withFileName(file, () => installation.find(text)).map((command) => ({ file, command }))
  })
}

const filesOf = (installation: Installation, where: Omit<Where, 'read'>): readonly string[] =>
  installation.files({ ...where, read: readText })

function removeFrom(installation: Installation, file: string, where: Omit<Where, 'read'>, recordIn: RecordIn): boolean {
  const text = readText(file)
  if (text === undefined || withFileName(file, () => installation.find(text)).length === 0) return false
  const left = withFileName(file, () => installation.remove(text))
  if (left === undefined) {
    removeFile(file)
    removeFolders(file, recordIn === undefined ? 'unknown' : createdFolder(recordIn, nameIn(where, file)))
  } else writeText(file, left)
  record(recordIn, where, file, { before: text, ...(left === undefined ? {} : { after: left }) })
  return true
}

const rootOf = ({ scope, dir, home }: Omit<Where, 'read'>): string => (scope === 'project' ? dir : home)
const nameIn = (where: Omit<Where, 'read'>, file: string): string => relative(rootOf(where), file).split(sep).join('/')

function record(
  stateDir: RecordIn,
  where: Omit<Where, 'read'>,
  file: string,
  edit: Parameters<typeof recordOwnEdit>[2],
): void {
  if (stateDir === undefined) return
  try {
    recordOwnEdit(stateDir, nameIn(where, file), edit)
  } catch {
    // Without a record, the change is shown like any other.
  }
}

/** Adds the file's name to an error message. */
function withFileName<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InstallError)) throw error
    throw new InstallError(`${file} was not changed: ${error.message}. Fix the file, or add the hook by hand.`)
  }
}

function readText(file: string): string | undefined {
  let bytes: Buffer
  try {
    if (statSync(file).size > MAX_BYTES)
      throw new InstallError(`${file} was not changed: it is too large for a configuration file.`)
    bytes = readFileSync(file)
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    if (error instanceof InstallError) throw error
    throw new InstallError(`${file} was not changed: it can't be read (${errorCode(error)}).`)
  }
  const text = bytes.toString('utf8')
  // Other bytes would not survive reading and writing.
  if (!Buffer.from(text).equals(bytes)) throw new InstallError(`${file} was not changed: it is not UTF-8 text.`)
  return text
}

/** Writes the file atomically, follows links, and keeps the permissions. Returns the first folder that it had to create. */
function writeText(file: string, text: string): string | undefined {
  try {
    const created = makeFolder(dirname(file), 0o777)
    const target = statSync(file, { throwIfNoEntry: false }) === undefined ? file : realpathSync(file)
    const mode = statSync(target, { throwIfNoEntry: false })?.mode
    writeFileAtomic(target, text, mode === undefined ? { mode: 0o666 } : { exactMode: mode & 0o7777 })
    return created
  } catch (error) {
    throw new InstallError(`${file} can't be written (${errorCode(error) || String(error)}).`)
  }
}

/** Removes empty folders up to the one that exitgate created; without a record, only the file's own. */
function removeFolders(file: string, first: string | 'unknown' | undefined): void {
  if (first === undefined) return
  const last = first === 'unknown' ? dirname(file) : first
  try {
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      rmdirSync(folder)
      if (folder === last || dirname(folder) === folder) return
    }
  } catch {
    // The folder contains other files.
  }
}
