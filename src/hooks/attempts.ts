import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { count } from '../../packages/core/src/count.ts'
import { countIn } from '../core/policy/measures.ts'
import type { EvidenceSet } from '../core/types.ts'
import { digest } from '../system/digest.ts'
import { removeFile } from '../system/files.ts'
import { fieldsOf, textIn } from './fields.ts'
import type { HookClient, Stop } from './hook-client.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'
import { seenForm } from './last-message.ts'
import type { StopToVerify } from './stop-request.ts'

/** The refusals for one prompt of one session. */
export interface Attempts {
  /** Refusals since the checks last improved. */
  readonly row: number
  /** Refusals since a file last changed. Clients with a limit count at least these. */
  readonly idle: number
  /** All refusals since the prompt. */
  readonly total: number
  /** The tree at the last refusal. A different tree means that the agent has worked. */
  readonly tree: string
  /** The best counts so far, by name. */
  readonly best: Readonly<Record<string, number>>
  /** Messages the user has already seen. */
  readonly told: readonly string[]
  /** Without a goal: the run in the journal that these stops belong to. */
  readonly run: string
  /** The final message, if the client sends it separately from the stop. */
  readonly text?: string
  /** How much of a turn's text was there at the last refusal, if the client sends the whole turn. */
  readonly seen?: string
}

const FOLDER = 'stops'
const NONE: Attempts = { row: 0, idle: 0, total: 0, tree: '', best: {}, told: [], run: '' }
/** Maximum refusals without better checks, and maximum refusals per prompt. */
const MAX_ROW = 20
const MAX_PER_PROMPT = 100
const KEEP_MS = 30 * 24 * 3_600_000
const FILES_BEFORE_SWEEPING = 200

/** The file for a session and prompt. Names from the client never become part of a path. */
export function attemptsFile(stateDir: string, client: HookClient, { of, session, prompt, part }: Stop): string {
  return stopFile(stateDir, [client.name, of, session, prompt, part], 'json')
}

export const stopFile = (stateDir: string, about: readonly string[], ending: string): string =>
  join(stateDir, FOLDER, `${digest(about.join('\0')).slice(0, 32)}.${ending}`)

export function readAttempts(file: string, stop: Stop): Attempts {
  const kept = readJsonFile(file)
  if (kept === undefined || kept === 'broken') return NONE
  const number = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.trunc(value) : 0)
  // Without prompt names, a new prompt is one for which the client reports no earlier refusal.
  const begins = stop.prompt === '' && stop.again === false
  const text = textIn(kept, 'text')
  const seen = textIn(kept, 'seen')
  const best = Object.entries(fieldsOf(kept.best) ?? {}).filter(
    (each): each is [string, number] => typeof each[1] === 'number',
  )
  return {
    row: begins ? 0 : number(kept.row),
    idle: begins ? 0 : number(kept.idle ?? kept.row),
    total: number(kept.total),
    tree: textIn(kept, 'tree') ?? '',
    best: Object.fromEntries(best),
    told: Array.isArray(kept.told) ? kept.told.filter((each) => typeof each === 'string') : [],
    run: textIn(kept, 'run') ?? '',
    ...(text === undefined ? {} : { text }),
    ...(seen === undefined ? {} : { seen }),
  }
}

/**
 * A stop that passes ends the turn, so the next stop belongs to another prompt. Clients that name their prompts need no more; with
 * the others, the refusals of this prompt must not count for the next.
 */
export function closeTurn({ call, stop, place }: StopToVerify): void {
  if (stop.of !== 'turn' || stop.maybeMore || (stop.prompt !== '' && stop.soFar === undefined)) return
  const file = attemptsFile(place.stateDir, call.client, stop)
  const { told, run, ...kept } = readAttempts(file, { ...stop, again: true })
  if (kept.total === 0 && kept.text === undefined) return
  try {
    writeAttempts(file, { ...NONE, told, run }, call.world.now())
  } catch {
    // The next prompt then starts with these refusals.
  }
}

/** Keeps how much of the turn was seen, and forgets a message that belongs to this stop alone. */
export function keepTurnOpen({ call, stop, place }: StopToVerify): void {
  const file = attemptsFile(place.stateDir, call.client, stop)
  const { text, ...kept } = readAttempts(file, { ...stop, again: true })
  if (stop.soFar === undefined && text === undefined) return
  const seen = stop.soFar === undefined ? {} : { seen: seenForm(stop.soFar) }
  try {
    writeAttempts(file, { ...kept, ...seen }, call.world.now())
  } catch {
    // The transcript has the message too.
  }
}

export function writeAttempts(file: string, attempts: Attempts, now: number): void {
  writeJsonFile(file, { v: 1, at: now, ...attempts })
  sweep(join(file, '..'), now)
}

/** Counts one more refusal. Only better checks start the row again, so that edits that fix nothing can't make it endless. */
export function refusedAgain(attempts: Attempts, evidence: EvidenceSet): Attempts {
  const tree = Object.values(evidence).find((each) => each.tree !== '')?.tree ?? ''
  const worked = tree !== '' && attempts.tree !== '' && tree !== attempts.tree
  const now = countsOf(evidence)
  const better = Object.entries(now).some(([name, value]) => value > (attempts.best[name] ?? Number.POSITIVE_INFINITY))
  const best = Object.entries(now).map(([name, value]) => [name, Math.max(value, attempts.best[name] ?? value)])
  return {
    ...attempts,
    row: (better ? 0 : attempts.row) + 1,
    idle: (worked || better ? 0 : attempts.idle) + 1,
    total: attempts.total + 1,
    tree,
    best: { ...attempts.best, ...Object.fromEntries(best) },
  }
}

/** What has to grow. */
function countsOf(evidence: EvidenceSet): Readonly<Record<string, number>> {
  const failed = countIn({ evidence }, 'tests', 'failed')
  const passed = countIn({ evidence }, 'tests', 'passed')
  const done = countIn({ evidence }, 'checklist', 'done')
  return {
    ...(failed === undefined ? {} : { fewerFailed: -failed }),
    ...(passed === undefined ? {} : { passed }),
    ...(done === undefined ? {} : { done }),
  }
}

/** How often a stop may be refused before the agent is let go. */
export interface RefusalLimits {
  readonly row: number
  readonly idle: number
}

/**
 * Without work in between, one less than the number after which the client would silently end the turn. Clients that forgive start
 * their own count again when a tool runs, so with work in between exitgate's limit applies.
 */
export function refusalLimits(
  client: HookClient,
  env: Readonly<Record<string, string | undefined>>,
  asked?: number,
): RefusalLimits {
  if (asked !== undefined) return { row: asked, idle: asked }
  const cap = client.cap(env)
  const idle = cap === undefined ? MAX_ROW : Math.max(1, cap - 1)
  return { row: client.forgives ? Math.max(MAX_ROW, idle) : idle, idle }
}

/** This refusal's number, and the last one if nothing gets better. */
export const placeInRow = (
  { row, idle }: Attempts,
  most: RefusalLimits,
): { readonly nth: number; readonly of: number } => ({
  nth: row,
  of: row + Math.min(most.row - row, most.idle - idle),
})

/** Why the stop can't be refused any more; undefined if it can. */
export function whyLetGo({ row, idle, total }: Attempts, most: RefusalLimits): string | undefined {
  if (row > most.row || idle > most.idle)
    return `${count(row - 1, 'stop')} in a row ${row === 2 ? 'was' : 'were'} refused`
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
