import { Socket } from 'node:net'
import type { Pool, PoolConfig, QueryResultRow } from 'pg'
import { FleetError, messageOf } from '../errors.ts'
import { postgresClient } from '../optional-deps.ts'

export type Row = QueryResultRow

/** Asks the database one thing. */
export type Query = <R extends Row>(sql: string, values?: readonly unknown[]) => Promise<readonly R[]>

export interface Database {
  readonly query: Query
  /** All of it or nothing. What it throws undoes it. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Connections at most. */
  readonly max?: number
  /** So long an answer may take before the connection counts as lost; 0: for ever. */
  readonly answerMs?: number
  /** So long an idle connection is kept; 0: for ever. */
  readonly idleMs?: number
  /** Called for every notification of the fleet, and for every new connection, which may have missed some. */
  readonly onNews?: () => void
}

/** Workers listen here; a notification says nothing but that it is worth looking. */
const CHANNEL = 'exitgate_fleet'

/** Wakes the workers when the transaction is committed: something is ready, was asked of them, or may go on. */
export const notifyWorkers = (query: Query) => query(`NOTIFY ${CHANNEL}`)

/** Settings of a connection, TLS included, come from the URL as `pg` reads them: sslmode, sslrootcert, sslcert, sslkey. */
function poolConfig(url: string, { max = 4, answerMs = 60_000, idleMs = 10_000 }: ConnectOptions = {}): PoolConfig {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new FleetError('--db is not an address; it looks like postgresql://name@host:5432/database')
  }
  if (/%(?![0-9a-f]{2})/i.test(parsed.password))
    throw new FleetError('--db has a password with a single %; in an address it is written %25')
  if (parsed.protocol !== 'postgresql:' && parsed.protocol !== 'postgres:')
    throw new FleetError(`--db begins with ${parsed.protocol}//; it must begin with postgresql://`)
  return {
    connectionString: url,
    max,
    connectionTimeoutMillis: 5_000,
    query_timeout: answerMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'exitgate',
    // A worker that was stopped in the middle of a transaction must not hold the others up.
    idle_in_transaction_session_timeout: 10_000,
  }
}

async function openPool(config: PoolConfig): Promise<Pool> {
  const { Pool } = await postgresClient()
  const pool = new Pool(config)
  // A connection that breaks while it is idle is replaced at the next query.
  pool.on('error', () => {})
  // One that breaks between two queries of a transaction fails the next of them; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Connections for queries of others, which may never be answered. */
export interface CuttablePool {
  readonly pool: Pool
  /** Ends every connection, and after so many milliseconds those whose queries are not answered. */
  end(ms: number): Promise<void>
}

export async function cuttablePool(url: string, max: number): Promise<CuttablePool> {
  const sockets = new Set<Socket>()
  const stream = (): Socket => {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }
  const pool = await openPool({ ...poolConfig(url, { max, answerMs: 0 }), stream })
  return {
    pool,
    async end(ms) {
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, ms)
      await pool.end()
      clearTimeout(cut)
    },
  }
}

export async function connect(url: string, options: ConnectOptions = {}): Promise<Database> {
  const pool = await openPool(poolConfig(url, options))
  const { onNews } = options
  if (onNews !== undefined)
    pool.on('connect', (client) => {
      client.on('notification', onNews)
      client.query(`LISTEN ${CHANNEL}`).then(onNews, () => {})
    })
  return {
    async query(sql, values = []) {
      return (await pool.query(sql, [...values])).rows
    },
    async transaction(work) {
      const client = await pool.connect()
      let broken: Error | undefined
      try {
        // Who waited for a lock must see what was done before it; a database may have another level for its own.
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED')
        const result = await work(async (sql, values = []) => (await client.query(sql, [...values])).rows)
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK').catch((failed: Error) => {
          broken = failed
        })
        throw error
      } finally {
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
}

/** One piece of work on a connection of its own, for commands that come and go. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await connect(url, { max: 1 })
  try {
    return await work(database)
  } catch (error) {
    throw explained(error)
  } finally {
    await database.close()
  }
}

/** SQLSTATE of a refusal, or the system's word for a connection that does not come about. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Trouble with the way to the database rather than with what was asked: the same question may succeed later. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error)
  // Connection exceptions, a server that starts or stops, a session it ended, deadlocks and serialization failures.
  if (/^(?:08|57P|25P03|40)/.test(code)) return true
  if (/^E[A-Z]+$/.test(code)) return true
  return /timeout|terminated|ended by|Connection/i.test(messageOf(error)) && !/^[0-9A-Z]{5}$/.test(code)
}

/** The sentence for a person whose command could not reach or use the database. */
export function explained(error: unknown): unknown {
  if (error instanceof FleetError) return error
  const code = codeOf(error)
  if (code === '3F000' || code === '42P01')
    return new FleetError('the database holds no fleet yet; run `exitgate fleet migrate --db URL` once', 64, error)
  if (code === '42501')
    return new FleetError(
      `this role of the database may not do that (${messageOf(error)}); use another one in --db`,
      64,
      error,
    )
  if (code === '28P01' || code === '28000' || code === '3D000')
    return new FleetError(
      `the database refused the connection: ${messageOf(error)}; check --db or EXITGATE_FLEET_DB`,
      64,
      error,
    )
  if (/CERT|TLS|SIGNED/.test(code))
    return new FleetError(
      `the certificate of the database was refused: ${messageOf(error)}; sslrootcert=FILE in --db names the authority that signed it`,
      64,
      error,
    )
  if (isOutage(error))
    return new FleetError(
      `the database cannot be reached: ${messageOf(error)}; check --db or EXITGATE_FLEET_DB`,
      70,
      error,
    )
  return error
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The address with all that the driver would take from variables. A worker takes its environment away before most of its connections
 * are made; one that was meant to be encrypted must not become a plain one by that.
 */
export function wholeAddress(url: string, env: Environment): string {
  if (!URL.canParse(url)) return url
  const whole = new URL(url)
  if (whole.hostname === '' && !whole.searchParams.has('host') && env.PGHOST) {
    // A folder with a socket is no part of an address, and a parameter is read as well.
    if (env.PGHOST.startsWith('/')) whole.searchParams.set('host', env.PGHOST)
    else whole.hostname = env.PGHOST
  }
  if (whole.hostname !== '') {
    if (whole.port === '' && env.PGPORT) whole.port = env.PGPORT
    if (whole.username === '' && env.PGUSER) whole.username = encodeURIComponent(env.PGUSER)
    if (whole.password === '' && env.PGPASSWORD) whole.password = encodeURIComponent(env.PGPASSWORD)
  }
  if (whole.pathname.length < 2 && env.PGDATABASE) whole.pathname = `/${encodeURIComponent(env.PGDATABASE)}`
  const speaksOfTls = [...whole.searchParams.keys()].some((name) => name.startsWith('ssl'))
  if (!speaksOfTls && env.PGSSLMODE) whole.searchParams.set('sslmode', env.PGSSLMODE)
  return whole.href
}
