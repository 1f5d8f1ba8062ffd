import { count } from '../../packages/core/src/count.ts'
import type { SharedAnswer, SharedLimits } from '../loop/shared-limits.ts'
import type { Database, Query } from './database/connect.ts'
import type { Lease } from './lease.ts'
import { retryWhileLeased } from './retry.ts'

const HOUR = 3_600_000

/** Advisory locks for provider keys use their own number range. */
const CALLS_LOCK = 4_873_003

export interface Spender {
  readonly run: string
  /** The name of the provider key; empty if the task uses none. */
  readonly key: string
  readonly backlog: string
}

/**
 * Limits shared by all runs of the fleet. Every start is counted in one place, one after the other, so the limit is never exceeded.
 */
export function fleetLimits(database: Database, lease: Lease, spender: Spender): SharedLimits {
  return {
    ask: (start) =>
      retryWhileLeased(lease, () => database.transaction((query) => ask(query, spender, start, start.at))),
    report: ({ iteration, attempt }, { usd, tokens, ms }) =>
      retryWhileLeased(lease, async () => {
        await database.query(
          'UPDATE exitgate.calls SET usd = $4, tokens = $5, ms = $6 WHERE run = $1 AND iteration = $2 AND attempt = $3',
          [spender.run, iteration, attempt, usd, tokens, ms],
        )
      }),
  }
}

interface Start {
  readonly iteration: number
  readonly attempt: number
}

interface Bounds {
  readonly usd: number | null
  readonly tokens: number | null
  readonly minutes: number | null
  readonly calls_per_hour: number | null
}

async function ask(query: Query, spender: Spender, start: Start, at: number): Promise<SharedAnswer> {
  const { run, key, backlog } = spender
  await query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [CALLS_LOCK, key])
  await query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [CALLS_LOCK + 1, backlog])
  const known = await query('SELECT 1 FROM exitgate.calls WHERE run = $1 AND iteration = $2 AND attempt = $3', [
    run,
    start.iteration,
    start.attempt,
  ])
  if (known.length > 0) return { kind: 'go' }
  const [bounds] = await query<Bounds>(
    'SELECT usd, tokens, minutes, calls_per_hour FROM exitgate.backlogs WHERE id = $1',
    [backlog],
  )
  const over = bounds === undefined ? undefined : await overspent(query, backlog, bounds)
  if (over !== undefined) return over
  const [limit] =
    key === ''
      ? []
      : await query<{ n: number | null }>(
          "SELECT calls_per_hour AS n FROM exitgate.limits WHERE kind = 'key' AND name = $1",
          [key],
        )
  const waits = [
    await quotaWait(query, 'key', key, limit?.n ?? undefined),
    await quotaWait(query, 'backlog', backlog, bounds?.calls_per_hour ?? undefined),
  ].filter((each) => each !== undefined)
  if (waits.length > 0) {
    const latest = waits.reduce((one, two) => (two.ms > one.ms ? two : one))
    return { kind: 'waits', until: at + latest.ms, why: latest.why }
  }
  await query(
    'INSERT INTO exitgate.calls (run, iteration, attempt, key, backlog, at) VALUES ($1, $2, $3, $4, $5, clock_timestamp())',
    [run, start.iteration, start.attempt, key, backlog],
  )
  return { kind: 'go' }
}

async function overspent(query: Query, backlog: string, bounds: Bounds): Promise<SharedAnswer | undefined> {
  if (bounds.usd === null && bounds.tokens === null && bounds.minutes === null) return undefined
  const [spent] = await query<{ usd: number; tokens: number; minutes: number }>(
    `SELECT coalesce(sum(usd), 0)::float8 AS usd, coalesce(sum(tokens), 0)::float8 AS tokens,
       coalesce(extract(epoch FROM clock_timestamp() - min(at)) / 60, 0)::float8 AS minutes
     FROM exitgate.calls WHERE backlog = $1`,
    [backlog],
  )
  const { usd = 0, tokens = 0, minutes = 0 } = spent ?? {}
  const ends = (ending: 'cost' | 'tokens' | 'time', usage: string): SharedAnswer => ({
    kind: 'ends',
    ending,
    reason: `the tasks of this backlog ${usage}`,
  })
  if (bounds.usd !== null && usd >= bounds.usd)
    return ends('cost', `cost $${usd.toFixed(2)} of $${bounds.usd.toFixed(2)} in total`)
  if (bounds.tokens !== null && tokens >= bounds.tokens)
    return ends('tokens', `used ${tokens} of ${bounds.tokens} tokens in total`)
  if (bounds.minutes !== null && minutes >= bounds.minutes)
    return ends('time', `took ${Math.round(minutes)} of ${bounds.minutes} minutes in total`)
  return undefined
}

/** How long until one more call fits into the last hour; undefined if it fits now. */
async function quotaWait(
  query: Query,
  column: 'key' | 'backlog',
  name: string,
  limit: number | undefined,
): Promise<{ readonly ms: number; readonly why: string } | undefined> {
  if (limit === undefined) return undefined
  // The call that has to be more than an hour old before another one fits.
  const [row] = await query<{ ms: number }>(
    `SELECT ${HOUR} - (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS ms FROM exitgate.calls
     WHERE ${column} = $1 AND at > clock_timestamp() - interval '1 hour' ORDER BY at DESC OFFSET $2 LIMIT 1`,
    [name, limit - 1],
  )
  if (row === undefined) return undefined
  const whose = column === 'key' ? `the key "${name}"` : 'this backlog'
  return { ms: Math.max(1, Math.ceil(row.ms)), why: `${whose} used its ${count(limit, 'call')} per hour` }
}
