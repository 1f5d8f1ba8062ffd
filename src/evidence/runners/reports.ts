import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { decodeText } from '../../system/decode-text.ts'
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
