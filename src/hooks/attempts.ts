import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digest } from '../system/digest.ts'
import { removeFile } from '../system/files.ts'
import { textIn } from './fields.ts'
import type { Host, Stop } from './host.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

/** What is remembered of one prompt of one session. */
export interface Attempts {
  /** Refusals in a row, as the host counts them. */
  readonly row: number
  /** All refusals since the prompt. */
  readonly total: number
  /** The tree at the last refusal: another one means that the agent has worked. */
  readonly tree: string
  /** What the person was told already. */
  readonly told: readonly string[]
  /** The run of the journal in which these stops are decided, without a goal. */
  readonly run: string
  /** The final message, where it comes apart from the stop. */
  readonly text?: string
}

const FOLDER = 'stops'
const NONE: Attempts = { row: 0, total: 0, tree: '', told: [], run: '' }
/** Refusals in a row where the host sets no bound, and refusals of one prompt anywhere: an agent that only seems to work ends too. */
const ROW_WITHOUT_CAP = 20
const MOST_OF_A_PROMPT = 100
const FORGOTTEN_AFTER_MS = 30 * 24 * 3_600_000
const FILES_BEFORE_SWEEPING = 200

/** The file of a session and prompt. What the host calls them never becomes part of a path. */
export function attemptsFile(stateDir: string, host: Host, { of, session, prompt, part }: Stop): string {
  const name = digest([host.name, of, session, prompt, part].join('\0')).slice(0, 32)
  return join(stateDir, FOLDER, `${name}.json`)
}

export function readAttempts(file: string, stop: Stop): Attempts {
  const kept = readJsonFile(file)
  if (kept === undefined || kept === 'broken') return NONE
  const number = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.trunc(value) : 0)
  // Where prompts have no name, the host's word that nothing was refused before is the beginning of another one.
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

/** One refusal more. */
export function refusedAgain(attempts: Attempts, host: Host, tree: string): Attempts {
  const worked = host.forgives && tree !== '' && attempts.tree !== '' && tree !== attempts.tree
  return { ...attempts, row: (worked ? 0 : attempts.row) + 1, total: attempts.total + 1, tree }
}

/** Refusals in a row that are safe: one less than those after which the host would end the turn without a word. */
export function mostInARow(host: Host, env: Readonly<Record<string, string | undefined>>, asked?: number): number {
  if (asked !== undefined) return asked
  const cap = host.cap(env)
  return cap === undefined ? ROW_WITHOUT_CAP : Math.max(1, cap - 1)
}

/** Why no more may be refused; undefined as long as it may. */
export function whyLetGo({ row, total }: Attempts, most: number): string | undefined {
  if (row > most) return `${most} stops in a row were refused`
  return total > MOST_OF_A_PROMPT ? `${MOST_OF_A_PROMPT} stops were refused since the last prompt` : undefined
}

/** Sessions end without a word, so what is remembered of them is thrown away by its age. */
function sweep(folder: string, now: number): void {
  try {
    const names = readdirSync(folder)
    if (names.length < FILES_BEFORE_SWEEPING) return
    for (const name of names) {
      const path = join(folder, name)
      if (now - statSync(path).mtimeMs > FORGOTTEN_AFTER_MS) removeFile(path)
    }
  } catch {
    // Another hook sweeps at the same time.
  }
}
