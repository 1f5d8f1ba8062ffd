import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { Client } from 'pg'
import { afterAll } from 'vitest'
import { type PostgresServer, postgresPrograms, startPostgres } from '../../scripts/postgres.mjs'
import { migrate } from '../../src/fleet/database/migrate.ts'

/** The databases of one test file. */
export interface TestPostgres {
  /** Why PostgreSQL is not available here; for `skip`. */
  readonly missing: string | undefined
  /** The URL of a new database. */
  database(): Promise<string>
  /** A new database with the fleet's tables. */
  fleet(): Promise<string>
}

/** A server that no other file uses, so that it can be stopped and killed. */
export interface OwnTestPostgres extends TestPostgres {
  server(): Promise<PostgresServer>
}

const TEMPLATE = 'exitgate_template'
const named = (url: string, name: string): string => url.replace(/\/postgres$/, `/${name}`)

/** Call this once at the top of a file. All files of a run share one server, which starts when the first test needs a database. */
export function postgres(): TestPostgres {
  return databasesOn(sharedUrl)
}

/** The same with a separate server, for tests that stop it. */
export function ownPostgres(): OwnTestPostgres {
  let started: Promise<PostgresServer> | undefined
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-pg-'))
  const server = () => {
    started ??= (async () => {
      const made = await startPostgres({ dir, fast: true })
      await prepare(made.url)
      return made
    })()
    return started
  }
  afterAll(async () => {
    await (await started)?.stop()
    rmSync(dir, { recursive: true, force: true })
  }, 60_000)
  return { ...databasesOn(async () => (await server()).url), server }
}

function databasesOn(address: () => Promise<string>): TestPostgres {
  const names: string[] = []
  const database = async (template = 'template1'): Promise<string> => {
    const url = await address()
    const name = `test_${process.pid}_${names.length + 1}`
    names.push(name)
    await ask(url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
    return named(url, name)
  }
  return { missing: postgresPrograms().missing, database: () => database(), fleet: () => database(TEMPLATE) }
}

/** The fleet's tables are created once and copied from then on. */
async function prepare(url: string): Promise<void> {
  await ask(url, `CREATE DATABASE ${TEMPLATE}`)
  const { log } = console
  console.log = () => {}
  await migrate(named(url, TEMPLATE)).finally(() => (console.log = log))
}

/** The vitest process that started this worker decides how long the server runs. */
const shared = join(tmpdir(), `exitgate-pg-of-${process.ppid}`)
const WHILE_NEEDED = 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; kill -INT "$2"; sleep 1; rm -rf "$3"'

/** The first worker starts the server; the others wait for its address. */
async function sharedUrl(): Promise<string> {
  const [lock, file] = [join(shared, 'lock'), join(shared, 'url')]
  mkdirSync(shared, { recursive: true })
  while (!existsSync(file)) {
    try {
      mkdirSync(lock)
    } catch {
      await sleep(50)
      continue
    }
    try {
      const { url, pid } = await startPostgres({ dir: join(shared, 'server'), fast: true, stay: true })
      const words = ['-c', WHILE_NEEDED, 'sh', String(process.ppid), String(pid), shared]
      spawn('sh', words, { detached: true, stdio: 'ignore' }).unref()
      await prepare(url)
      writeFileSync(`${file}.new`, url)
      renameSync(`${file}.new`, file)
    } catch (error) {
      rmdirSync(lock)
      throw error
    }
  }
  return readFileSync(file, 'utf8')
}

/** One query on its own connection. */
export async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  // A killed server may close idle connections at any time; the query itself reports the failure.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** The content of all fleet tables as one text to search. */
export async function everything(url: string): Promise<string> {
  const tables = await ask(
    url,
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'exitgate%'",
  )
  const rows = await Promise.all(tables.map(({ name }) => ask(url, `SELECT t::text AS text FROM ${name} t`)))
  const files = await ask(url, 'SELECT bytes FROM exitgate.files')
  return [
    ...rows.flat().map(({ text }) => String(text)),
    ...files.map(({ bytes }) => gunzipSync(bytes as Buffer).toString('latin1')),
  ].join('\n')
}
