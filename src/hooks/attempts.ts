import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { count } from '../core/count.ts'
import { digest } from '../system/digest.ts'
import { removeFile } from '../system/files.ts'
import { textIn } from './fields.ts'
import type { HookClient, Stop } from './hook-client.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

/** The refusals for one prompt of one session. */
export interface Attempts {
  /** Refusals in a row, as the client counts them. */
  readonly row: number
  /** All refusals since the prompt. */
  readonly total: number
  /** The tree at the last refusal. A different tree means that the agent has worked. */
  readonly tree: string
  /** Messages the user has already seen. */
  readonly told: readonly string[]
  /** Without a goal: the run in the journal that these stops belong to. */
  readonly run: string
  /** The final message, if the client sends it separately from the stop. */
  readonly text?: string
}

const FOLDER = 'stops'
const NONE: Attempts = { row: 0, total: 0, tree: '', told: [], run: '' }
/** Maximum refusals in a row if the client has no limit of its own, and maximum refusals per prompt. */
const MAX_ROW = 20
const MAX_PER_PROMPT = 100
const KEEP_MS = 30 * 24 * 3_600_000
const FILES_BEFORE_SWEEPING = 200

/** The file for a session and prompt. Names from the client never become part of a path. */
export function attemptsFile(stateDir: string, client: HookClient, { of, session, prompt, part }: Stop): string {
  const name = digest([client.name, of, session, prompt, part].join('\0')).slice(0, 32)
  return join(stateDir, FOLDER, `${name}.json`)
}

export function readAttempts(file: string, stop: Stop): Attempts {
  const kept = readJsonFile(file)
  if (kept === undefined || kept === 'broken') return NONE
  const number = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.trunc(value) : 0)
  // Without prompt names, a new prompt is one for which the client reports no earlier refusal.
  const begins = stop.prompt === '' && stop.again === false
  const text = textIn(kept, 'text')
  return {
    row: begins ? 0 : number(kept.row),
    total: number(kept.total),
    tree: textIn(kept, 'tree') ?? '',
    told: Array.isArray(kept.told) ? kept.told.filter((each) => typeof each === 'string') : [],
    run: textIn(kept, 'run') ?? '',
    ...(text === undefined ? {} : { text }),
  }
}

export function writeAttempts(file: string, attempts: Attempts, now: number): void {
  writeJsonFile(file, { v: 1, at: now, ...attempts })
  sweep(join(file, '..'), now)
}

/** Counts one more refusal. */
export function refusedAgain(attempts: Attempts, client: HookClient, tree: string): Attempts {
  const worked = client.forgives && tree !== '' && attempts.tree !== '' && tree !== attempts.tree
  return { ...attempts, row: (worked ? 0 : attempts.row) + 1, total: attempts.total + 1, tree }
}

/** The maximum refusals in a row: one less than the number after which the client would silently end the turn. */
export function mostInARow(
  client: HookClient,
  env: Readonly<Record<string, string | undefined>>,
  asked?: number,
): number {
  if (asked !== undefined) return asked
  const cap = client.cap(env)
  return cap === undefined ? MAX_ROW : Math.max(1, cap - 1)
}

/** Why the stop can't be refused any more; undefined if it can. */
export function whyLetGo({ row, total }: Attempts, most: number): string | undefined {
  if (row > most) return `${count(most, 'stop')} in a row ${most === 1 ? 'was' : 'were'} refused`
  return total > MAX_PER_PROMPT ? `${MAX_PER_PROMPT} stops were refused since the last prompt` : undefined
}

/** The end of a session is not reported, so old files are deleted. */
function sweep(folder: string, now: number): void {
  try {
    const names = readdirSync(folder)
    if (names.length < FILES_BEFORE_SWEEPING) return
    for (const name of names) {
      const path = join(folder, name)
      if (now - statSync(path).mtimeMs > KEEP_MS) removeFile(path)
    }
  } catch {
    // Another hook is deleting at the same time.
  }
}
