import { readFileSync } from 'node:fs'
import { FleetError } from '../../fleet/errors.ts'
import type { Io } from '../io.ts'

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

type Value<Option> = Option extends { readonly type: 'boolean' } ? boolean : string
export type FleetValues = { readonly [Name in keyof typeof FLEET_OPTIONS]?: Value<(typeof FLEET_OPTIONS)[Name]> }

/** One call of `exitgate fleet`, as its verbs see it. */
export interface FleetCall {
  readonly url: string
  readonly values: FleetValues
  /** The words behind the verb. */
  readonly words: readonly string[]
  /** What stands behind `--`. */
  readonly behind: readonly string[]
  readonly io: Io
}

export const VARIABLE = 'EXITGATE_FLEET_DB'
export const QUEUE = 'main'

/** A password on a command line can be read by everybody on the machine, one in a variable by every agent of the same user. */
export function urlOf({ db }: FleetValues, io: Io): string {
  const url = db === '-' ? firstLine() : (db ?? io.env[VARIABLE] ?? '')
  if (url !== '') return url
  throw new FleetError(
    `exitgate fleet needs a database: name it with --db postgresql://USER@HOST/NAME, or in ${VARIABLE}; docs/fleet.md has the whole walk`,
  )
}

/** From the standard input, of which nothing is left to look at once it was read. */
const firstLine = (): string => (readFileSync(0, 'utf8').split('\n')[0] ?? '').trim()
