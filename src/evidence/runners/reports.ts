import { lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { decodeText } from '../../system/decode-text.ts'
import { errorCode } from '../../system/files.ts'
import { isAlive, startedCommand } from '../../system/processes.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import type { Injection, Reports } from './types.ts'

export interface Report {
  readonly name: string
  readonly text: string
}

const MOST_BYTES = 128 * 1024 * 1024
const MOST_FILES = 20_000
const DEEPEST = 12
/** File system clocks are coarse. */
const SLACK_MS = 1_000
const NOT_ENTERED = new Set(['node_modules', '.git', '.gradle', '.m2', '.venv', 'venv'])

const START = 'exitgate-report-'
/** After the prefix: the process that made the folder, and when that process started. */
const OWNED = /^exitgate-report-(\d+)-(\d*)-/
const FORGOTTEN_MS = 24 * 60 * 60 * 1_000

/** A fresh folder that only we can enter, outside the workspace. */
export function openFolder(): string {
  const place = tmpdir()
  sweepReports(place)
  const { pid, since = '' } = startedCommand(process.pid, '')
  try {
    return realpathSync(mkdtempSync(join(place, `${START}${pid}-${since}-`)))
  } catch (error) {
    throw new Error(`the temporary folder ${place} can't be used (${errorCode(error)}); set TMPDIR to another one`)
  }
}

/** Folders of processes that were killed before they could remove them. */
export function sweepReports(place: string = tmpdir()): void {
  try {
    for (const name of readdirSync(place)) {
      if (!name.startsWith(START)) continue
      const stats = lstatSync(join(place, name))
      if (stats.isDirectory() && stats.uid === process.getuid?.() && isForgotten(name, stats.mtimeMs)) {
        removeFolderSync(join(place, name))
      }
    }
  } catch {
    // Another process may be sweeping too; the next sweep gets it.
  }
}

/** A process in another container is not visible here, so a young folder goes only if its owner is certainly gone. */
function isForgotten(name: string, madeAt: number): boolean {
  const age = Date.now() - madeAt
  const [, pid, started] = OWNED.exec(name) ?? []
  if (age > FORGOTTEN_MS || pid === undefined || !started) return age > FORGOTTEN_MS
  return !isAlive({ pid: Number(pid), parent: 0, group: 0, started })
}

export function putFiles(folder: string, files: Injection['files'] = {}): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

/** Plain files below a folder; links are not followed. */
function* filesBelow(folder: string, depth = 0): Generator<string> {
  if (depth > DEEPEST) return
  let entries: ReturnType<typeof list>
  try {
    entries = list(folder)
  } catch {
    return
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !NOT_ENTERED.has(entry.name)) yield* filesBelow(path, depth + 1)
    else if (entry.isFile()) yield path
  }
}

const list = (folder: string) => readdirSync(folder, { withFileTypes: true })

/** A report counts if it is a plain file, written after the start, of a plausible size. */
function readReport(path: string, startedAt: number): string | undefined {
  try {
    const stats = lstatSync(path)
    if (!stats.isFile() || stats.mtimeMs < startedAt - SLACK_MS || stats.size > MOST_BYTES) return undefined
    return decodeText(readFileSync(path))
  } catch {
    return undefined
  }
}

/** The reports that a run wrote, sorted by name. */
export function collectReports(
  reports: Reports,
  folder: string,
  workspace: string,
  startedAt: number,
): readonly Report[] {
  if (reports.in === 'output') return []
  const top = reports.in === 'folder' ? folder : workspace
  const fits = (path: string) => {
    const name = relative(top, path).split(sep).join('/')
    return reports.in === 'folder' ? name.endsWith(reports.ending) : reports.places.some((place) => place.test(name))
  }
  const found: Report[] = []
  let seen = 0
  for (const path of filesBelow(top)) {
    seen += 1
    if (seen > MOST_FILES * 10 || found.length >= MOST_FILES) break
    if (!fits(path)) continue
    const text = readReport(path, startedAt)
    if (text !== undefined && text.trim() !== '') found.push({ name: relative(top, path), text })
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
