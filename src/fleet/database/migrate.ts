import { setTimeout as sleep } from 'node:timers/promises'
import { FleetError, messageOf } from '../errors.ts'
import { dbos } from '../optional-deps.ts'
import { codeOf, connect, type Database, type Query } from './connect.ts'
import { MIGRATIONS, ROLES } from './migrations.ts'

/** Where DBOS keeps what it keeps. */
export const DBOS_SCHEMA = 'exitgate_dbos'

/** One migration at a time, whoever starts it. */
const MIGRATION_LOCK = 4_873_001
const LOOK_MS = 250

export interface Migrated {
  readonly from: number
  readonly to: number
  /** What an administrator of the database has to do by hand, if anything. */
  readonly notes: readonly string[]
}

/** Makes the tables, or brings them to this release's version; running it again changes nothing. */
export async function migrate(url: string): Promise<Migrated> {
  const { DBOS } = await dbos()
  // One connection from beginning to end: the lock is its own.
  const database = await connect(url, { max: 1, idleMs: 0 })
  try {
    await alone(database)
    const versions = await database.transaction(toNewest)
    const notes = await grantRoles(database)
    await DBOS.migrate(url, { schemaName: DBOS_SCHEMA })
    return { ...versions, notes }
  } catch (error) {
    if (codeOf(error) !== '42501') throw error
    throw new FleetError(
      `the role in --db may not make the schema exitgate (${messageOf(error)}); an administrator grants it with GRANT CREATE ON DATABASE`,
      64,
      error,
    )
  } finally {
    await database.close()
  }
}

/** Asks again and again: DBOS makes indexes that wait for everybody, also for whoever stands in line here. */
async function alone({ query }: Database): Promise<void> {
  const locked = async (): Promise<boolean> => {
    const [row] = await query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [MIGRATION_LOCK])
    return row?.mine === true
  }
  while (!(await locked())) await sleep(LOOK_MS)
}

async function toNewest(query: Query): Promise<{ readonly from: number; readonly to: number }> {
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

/** Roles belong to the whole server, so they may be there already, or may not be ours to make. */
async function grantRoles(database: Database): Promise<readonly string[]> {
  const notes: string[] = []
  for (const [role, grants] of Object.entries(ROLES)) {
    const [found] = await database.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role])
    try {
      if (found === undefined) await database.query(`CREATE ROLE ${role} NOLOGIN`)
    } catch (error) {
      // Two migrations at once: the other one has made it.
      if (codeOf(error) !== '42710' && codeOf(error) !== '23505') {
        if (codeOf(error) !== '42501') throw error
        notes.push(
          `the role ${role} is missing and may not be made by this one: CREATE ROLE ${role} NOLOGIN; then migrate again`,
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
      `the database has version ${version} of the fleet's tables, this exitgate knows ${MIGRATIONS.length}; install the newer release`,
    )
}

/** A worker that finds other tables than it knows would do damage. */
export async function assertMigrated(query: Query): Promise<void> {
  const [row] = await query<{ n: number }>('SELECT n FROM exitgate.version')
  const version = row?.n ?? 0
  assertNotNewer(version)
  if (version < MIGRATIONS.length)
    throw new FleetError(
      `the database has version ${version} of the fleet's tables, this exitgate needs ${MIGRATIONS.length}; run \`exitgate fleet migrate --db URL\``,
    )
}
