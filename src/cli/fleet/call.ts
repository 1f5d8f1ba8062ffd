import { readFileSync } from 'node:fs'
import { withRemedy } from '../../fleet/database/connect.ts'
import { FleetError } from '../../fleet/errors.ts'
import type { Io } from '../io.ts'
import type { ValuesOf } from '../parse.ts'

export const FLEET_OPTIONS = {
  db: { type: 'string' },
  queue: { type: 'string' },
  concurrency: { type: 'string' },
  lease: { type: 'string' },
  config: { type: 'string' },
  folder: { type: 'string' },
  once: { type: 'boolean' },
  worker: { type: 'string' },
  reason: { type: 'string' },
  by: { type: 'string' },
  repository: { type: 'string' },
  key: { type: 'string' },
  'at-once': { type: 'string' },
  'calls-per-hour': { type: 'string' },
  last: { type: 'string' },
  json: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export type FleetValues = ValuesOf<typeof FLEET_OPTIONS>

/** One call of `exitgate fleet`, as its subcommands get it. */
export interface FleetCall {
  readonly url: string
  readonly values: FleetValues
  /** The positionals after the subcommand. */
  readonly positionals: readonly string[]
  /** Everything after `--`. */
  readonly afterDashes: readonly string[]
  readonly io: Io
}

export const VARIABLE = 'EXITGATE_FLEET_DB'
export const QUEUE = 'main'

/** The URL may come on stdin: every user can read a command line, and every agent of the same user a variable. */
export function urlOf({ db }: FleetValues, io: Io): string {
  const url = db === '-' ? firstLine() : (db ?? io.env[VARIABLE] ?? '')
  if (url !== '') return url
  throw new FleetError(
    `No database. Pass --db postgresql://USER@HOST/NAME or set ${VARIABLE}. See exitgate help fleet.`,
  )
}

const firstLine = (): string => (readFileSync(0, 'utf8').split('\n')[0] ?? '').trim()

/** A database error as the user sees it: with a remedy, and never with the password of the URL. */
export function databaseError(error: unknown, url: string): unknown {
  const known = withRemedy(error)
  const hide = passwordHider(url)
  if (!(known instanceof Error)) return typeof known === 'string' ? hide(known) : known
  known.message = hide(known.message)
  if (known.stack !== undefined) known.stack = hide(known.stack)
  return known
}

/** Removes the password of a URL from a text, both encoded and decoded. */
export function passwordHider(url: string): (text: string) => string {
  const written = URL.canParse(url) ? new URL(url).password : ''
  // Anything shorter would match ordinary words.
  if (written.length < 4) return (text) => text
  const forms = [...new Set([written, decoded(written)])]
  return (text) => forms.reduce((left, form) => left.replaceAll(form, '[password]'), text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
