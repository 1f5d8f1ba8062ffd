import { existsSync, readdirSync } from 'node:fs'
import { withDatabase } from './database/connect.ts'
import { FleetError } from './errors.ts'
import { findRun } from './status.ts'
import type { RunRow } from './types.ts'
import { writeStateFolder } from './worker-workspace.ts'

/** The database counts lines in 32 bits, so no journal is longer. */
const NEWEST = 2 ** 31 - 1

/** Writes a run of the fleet as a local state folder, which `explain`, `replay`, `report`, `history` and `watch` can read. */
export async function materialise(url: string, name: string, dir: string): Promise<RunRow> {
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new FleetError(`${dir} is not empty. Use an empty or a new folder.`)
  return withDatabase(url, ({ transaction }) =>
    transaction(async (query) => {
      // Journal and files are from the same moment, even while the run continues.
      await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const found = await findRun(query, name)
      if (found === undefined)
        throw new FleetError(`No run or started task is called "${name}". \`exitgate fleet status\` lists them.`)
      await writeStateFolder(query, found.run, dir, NEWEST)
      return found
    }),
  )
}
