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

/** The databases of one file of tests. */
export interface TestPostgres {
  /** Why there can be none here; for `skip`. */
  readonly missing: string | undefined
  /** A fresh database, by its URL. */
  database(): Promise<string>
  /** A fresh database with the tables of the fleet. */
  fleet(): Promise<string>
}

/** One that no other file uses, so that it can be stopped and killed. */
export interface OwnTestPostgres extends TestPostgres {
  server(): Promise<PostgresServer>
}

const TEMPLATE = 'exitgate_template'
const named = (url: string, name: string): string => url.replace(/\/postgres$/, `/${name}`)

/** Called once at the top of a file. All files of a run share one server, which starts when the first test asks for a database. */
export function postgres(): TestPostgres {
  return databasesOn(sharedUrl)
}

/** The same with a server for this file alone, for tests that stop it. */
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

/** The tables of the fleet are made once and copied from then on. */
async function prepare(url: string): Promise<void> {
  await ask(url, `CREATE DATABASE ${TEMPLATE}`)
  const { log } = console
  console.log = () => {}
  await migrate(named(url, TEMPLATE)).finally(() => (console.log = log))
}

/** The process of vitest that started this worker knows how long the server is needed. */
const shared = join(tmpdir(), `exitgate-pg-of-${process.ppid}`)
const WHILE_NEEDED = 'while kill -0 "$1" 2>/dev/null; do sleep 1; done; kill -INT "$2"; sleep 1; rm -rf "$3"'

/** The first worker that asks starts the server; the others wait for its address. */
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

/** One question on a connection of its own. */
export async function ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  // A server that is killed tells its clients so whenever it likes; who asks hears of it by the answer.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** All that the fleet's tables hold, as one text to be searched. */
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
