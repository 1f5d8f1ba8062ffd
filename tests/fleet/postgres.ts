import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Client } from 'pg'
import { afterAll } from 'vitest'
import { type PostgresServer, postgresPrograms, startPostgres } from '../../scripts/postgres.mjs'

/** The PostgreSQL of one file of tests. */
export interface TestPostgres {
  /** Why there can be none here; for `skip`. */
  readonly missing: string | undefined
  server(): Promise<PostgresServer>
  /** A fresh database, by its URL. */
  database(): Promise<string>
}

/** Called once at the top of a file: starts the server when the first test asks for it, and ends it after the last one. */
export function postgres(): TestPostgres {
  let started: Promise<PostgresServer> | undefined
  let databases = 0
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-pg-'))
  const server = () => {
    started ??= startPostgres({ dir, fast: true })
    return started
  }
  afterAll(async () => {
    await (await started)?.stop()
    rmSync(dir, { recursive: true, force: true })
  }, 60_000)
  return {
    missing: postgresPrograms().missing,
    server,
    database: async () => {
      const { url } = await server()
      const name = `test_${++databases}`
      await ask(url, `CREATE DATABASE ${name}`)
      return url.replace(/\/postgres$/, `/${name}`)
    },
  }
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
