import { setTimeout as sleep } from 'node:timers/promises'
import { FleetError, messageOf } from '../errors.ts'
import { dbos } from '../optional-deps.ts'
import { codeOf, connect, type Database, type Query } from './connect.ts'
import { MIGRATIONS, ROLES } from './migrations.ts'

/** The schema for DBOS's own tables. */
export const DBOS_SCHEMA = 'exitgate_dbos'

/** Only one migration runs at a time. */
const MIGRATION_LOCK = 4_873_001
const POLL_MS = 250

export interface Migrated {
  readonly from: number
  readonly to: number
  /** What a database administrator still has to do by hand, if anything. */
  readonly notes: readonly string[]
}

/** Creates the tables or updates them to this release. Running it again changes nothing. */
export async function migrate(url: string): Promise<Migrated> {
  const { DBOS } = await dbos()
  // A single connection, because the advisory lock belongs to it.
  const database = await connect(url, { max: 1, idleMs: 0 })
  try {
    await acquireMigrationLock(database)
    const versions = await database.transaction(applyMigrations)
    const notes = await grantRoles(database)
    await DBOS.migrate(url, { schemaName: DBOS_SCHEMA })
    return { ...versions, notes }
  } catch (error) {
    if (codeOf(error) !== '42501') throw error
    throw new FleetError(
      `The role in --db can't create the schema exitgate (${messageOf(error)}). Ask an administrator for GRANT CREATE ON DATABASE.`,
      64,
      error,
    )
  } finally {
    await database.close()
  }
}

/** Polls instead of waiting in a query: DBOS builds indexes that wait for every open query, and so would deadlock. */
async function acquireMigrationLock({ query }: Database): Promise<void> {
  const locked = async (): Promise<boolean> => {
    const [row] = await query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [MIGRATION_LOCK])
    return row?.mine === true
  }
  while (!(await locked())) await sleep(POLL_MS)
}

async function applyMigrations(query: Query): Promise<{ readonly from: number; readonly to: number }> {
  await query('CREATE SCHEMA IF NOT EXISTS exitgate')
  await query('CREATE TABLE IF NOT EXISTS exitgate.version (n integer NOT NULL)')
  const [row] = await query<{ n: number }>('SELECT n FROM exitgate.version')
  const from = row?.n ?? 0
  assertNotNewer(from)
  for (const sql of MIGRATIONS.slice(from)) await query(sql)
  if (row === undefined) await query('INSERT INTO exitgate.version VALUES ($1)', [MIGRATIONS.length])
  else await query('UPDATE exitgate.version SET n = $1', [MIGRATIONS.length])
  return { from, to: MIGRATIONS.length }
}

/** Roles belong to the server, so they may exist already, or this role may not be allowed to create them. */
async function grantRoles(database: Database): Promise<readonly string[]> {
  const notes: string[] = []
  for (const [role, grants] of Object.entries(ROLES)) {
    const [found] = await database.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])
    try {
      if (found === undefined) await database.query(`CREATE ROLE ${role} NOLOGIN`)
    } catch (error) {
      // Another migration created the role at the same time.
      if (codeOf(error) !== '42710' && codeOf(error) !== '23505') {
        if (codeOf(error) !== '42501') throw error
        notes.push(
          `The role ${role} is missing, and this role can't create it. Run CREATE ROLE ${role} NOLOGIN, then migrate again.`,
        )
        continue
      }
    }
    await database.transaction(async (query) => {
      await query(`GRANT USAGE ON SCHEMA exitgate TO ${role}`)
      for (const grant of grants) await query(grant)
    })
  }
  return notes
}

function assertNotNewer(version: number): void {
  if (version > MIGRATIONS.length)
    throw new FleetError(
      `The fleet tables have version ${version}, but this exitgate only knows version ${MIGRATIONS.length}. Install a newer release.`,
    )
}

/** A worker must not touch tables of another version. */
export async function assertMigrated(query: Query): Promise<void> {
  const [row] = await query<{ n: number }>('SELECT n FROM exitgate.version')
  const version = row?.n ?? 0
  assertNotNewer(version)
  if (version < MIGRATIONS.length)
    throw new FleetError(
      `The fleet tables have version ${version}, but this exitgate needs version ${MIGRATIONS.length}. Run \`exitgate fleet migrate --db URL\`.`,
    )
}
