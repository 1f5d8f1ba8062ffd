import { migrate } from '../../fleet/database/migrate.ts'
import type { FleetCall } from './options.ts'

/** `exitgate fleet migrate`: makes the tables and roles, or brings them up to this release. */
export async function run({ url, values, io }: FleetCall): Promise<number> {
  const done = await quietly(() => migrate(url))
  io.stdout.write(values.json ? `${JSON.stringify(done)}\n` : `${sentence(done)}\n`)
  for (const note of values.json ? [] : done.notes) io.stderr.write(`exitgate: ${note}\n`)
  return 0
}

function sentence({ from, to }: Awaited<ReturnType<typeof migrate>>): string {
  return from === to
    ? `the tables are of version ${to} already`
    : `the tables are of version ${to} now (before: ${from})`
}

/** DBOS tells about its own tables on the console, whatever it is asked; the answer here is one line. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { log } = console
  console.log = () => {}
  try {
    return await work()
  } finally {
    console.log = log
  }
}
