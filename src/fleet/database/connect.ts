import { Socket } from 'node:net'
import type { Pool, PoolConfig, QueryResultRow } from 'pg'
import { FleetError, messageOf } from '../errors.ts'
import { postgresClient } from '../optional-deps.ts'

export type Row = QueryResultRow

export type Query = <R extends Row>(sql: string, values?: readonly unknown[]) => Promise<readonly R[]>

export interface Database {
  readonly query: Query
  /** Commits everything, or rolls back if `work` throws. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Ends every connection. What waits for an answer fails at once, and the next query connects again. */
  cut(): void
  close(): Promise<void>
}

export interface ConnectOptions {
  /** Maximum number of connections. */
  readonly max?: number
  /** A connection counts as lost if an answer takes longer than this; 0 disables the timeout. */
  readonly answerMs?: number
  /** An idle connection is closed after this time; 0 keeps it open. */
  readonly idleMs?: number
  /** Called for every notification, and for every new or broken connection, because it may have missed some. */
  readonly onNotification?: () => void
}

/** Workers listen here. A notification has no content; it only means there is something new to look at. */
const CHANNEL = 'exitgate_fleet'

/** Wakes the workers when the transaction commits: a task is ready, a control arrived, or a run may continue. */
export const notifyWorkers = (query: Query) => query(`NOTIFY ${CHANNEL}`)

/** All settings of a connection, including TLS, come from the URL the way `pg` reads it: sslmode, sslrootcert, sslcert, sslkey. */
function poolConfig(url: string, { max = 4, answerMs = 60_000, idleMs = 10_000 }: ConnectOptions = {}): PoolConfig {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new FleetError('--db is not a valid URL. It should look like postgresql://name@host:5432/database.')
  }
  if (/%(?![0-9a-f]{2})/i.test(parsed.password))
    throw new FleetError('The password in --db contains a bare %. Write it as %25.')
  if (parsed.protocol !== 'postgresql:' && parsed.protocol !== 'postgres:')
    throw new FleetError(`--db starts with ${parsed.protocol}//. It must start with postgresql://.`)
  return {
    connectionString: url,
    max,
    connectionTimeoutMillis: 5_000,
    query_timeout: answerMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'exitgate',
    // A worker that is stopped in the middle of a transaction must not block the others.
    idle_in_transaction_session_timeout: 10_000,
  }
}

async function openPool(config: PoolConfig): Promise<Pool> {
  const { Pool } = await postgresClient()
  const pool = new Pool(config)
  // A connection that breaks while idle is replaced at the next query.
  pool.on('error', () => {})
  // If a connection breaks between two queries of a transaction, the next query fails. Without a listener the error would end the
  // process.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** A pool for DBOS's queries, which may never get an answer. */
export interface CuttablePool {
  readonly pool: Pool
  /** Ends every connection. What waits for an answer fails at once, and the next query connects again. */
  cut(): void
  /** Closes every connection. After `ms` milliseconds it cuts those that still wait for an answer. */
  end(ms: number): Promise<void>
}

export async function cuttablePool(url: string, max: number): Promise<CuttablePool> {
  const { stream, cut } = cuttableSockets()
  const pool = await openPool({ ...poolConfig(url, { max, answerMs: 0 }), stream })
  return {
    pool,
    cut,
    async end(ms) {
      const timer = setTimeout(cut, ms)
      await pool.end()
      clearTimeout(timer)
    },
  }
}

function cuttableSockets(): { readonly stream: () => Socket; readonly cut: () => void } {
  const sockets = new Set<Socket>()
  return {
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

export async function connect(url: string, options: ConnectOptions = {}): Promise<Database> {
  const { stream, cut } = cuttableSockets()
  const pool = await openPool({ ...poolConfig(url, options), stream })
  const { onNotification: onNews } = options
  if (onNews !== undefined) {
    pool.on('connect', (client) => {
      client.on('notification', onNews)
      client.query(`LISTEN ${CHANNEL}`).then(onNews, () => {})
    })
    // An idle connection broke. Nothing is heard until the next query connects again.
    pool.on('error', onNews)
  }
  return {
    async query(sql, values = []) {
      return (await pool.query(sql, [...values])).rows
    },
    async transaction(work) {
      const client = await pool.connect()
      let broken: Error | undefined
      try {
        // A transaction that waited for a lock must see what was committed before it, whatever the database's default level is.
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
    cut,
    close: () => pool.end(),
  }
}

/** Opens a connection for one command and closes it afterwards. */
export async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await connect(url, { max: 1 })
  try {
    return await work(database)
  } catch (error) {
    throw withRemedy(error)
  } finally {
    await database.close()
  }
}

/** The SQLSTATE, or the system's error code if the connection failed. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** True if the connection failed rather than the query, so the same query may succeed later. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error)
  // Connection exceptions, a server that starts or stops, a session it ended, deadlocks and serialization failures.
  if (/^(?:08|57P|25P03|40)/.test(code)) return true
  if (/^E[A-Z]+$/.test(code)) return true
  return /timeout|terminated|ended by|Connection/i.test(messageOf(error)) && !/^[0-9A-Z]{5}$/.test(code)
}

/** An error of the database as a sentence with a remedy. */
export function withRemedy(error: unknown): unknown {
  if (error instanceof FleetError) return error
  const code = codeOf(error)
  if (code === '3F000' || code === '42P01')
    return new FleetError(
      'The database has no fleet tables yet. Run `exitgate fleet migrate --db URL` once.',
      64,
      error,
    )
  if (code === '42501')
    return new FleetError(
      `This database role lacks the permission (${messageOf(error)}). Use another role in --db.`,
      64,
      error,
    )
  if (code === '28P01' || code === '28000' || code === '3D000')
    return new FleetError(
      `The database rejected the connection: ${messageOf(error)}. Check --db or EXITGATE_FLEET_DB.`,
      64,
      error,
    )
  if (/CERT|TLS|SIGNED/.test(code))
    return new FleetError(
      `The database's TLS certificate was not accepted: ${messageOf(error)}. Add sslrootcert=FILE to --db to trust the authority that signed it.`,
      64,
      error,
    )
  if (isOutage(error))
    return new FleetError(`Can't reach the database: ${messageOf(error)}. Check --db or EXITGATE_FLEET_DB.`, 70, error)
  return error
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Adds what the driver would read from environment variables to the URL. A worker clears its environment before it opens most
 * connections. Without this, PGSSLMODE would be lost and an encrypted connection would become a plain one.
 */
export function addressWithEnvironment(url: string, env: Environment): string {
  if (!URL.canParse(url)) return url
  const address = new URL(url)
  if (address.hostname === '' && !address.searchParams.has('host') && env.PGHOST) {
    // The path of a socket can't be a hostname; the driver also reads it from a parameter.
    if (env.PGHOST.startsWith('/')) address.searchParams.set('host', env.PGHOST)
    else address.hostname = env.PGHOST
  }
  if (address.hostname !== '') {
    if (address.port === '' && env.PGPORT) address.port = env.PGPORT
    if (address.username === '' && env.PGUSER) address.username = encodeURIComponent(env.PGUSER)
    if (address.password === '' && env.PGPASSWORD) address.password = encodeURIComponent(env.PGPASSWORD)
  }
  if (address.pathname.length < 2 && env.PGDATABASE) address.pathname = `/${encodeURIComponent(env.PGDATABASE)}`
  const hasTlsSettings = [...address.searchParams.keys()].some((name) => name.startsWith('ssl'))
  if (!hasTlsSettings && env.PGSSLMODE) address.searchParams.set('sslmode', env.PGSSLMODE)
  return address.href
}
