import { existsSync, readdirSync } from 'node:fs'
import { withDatabase } from './database/connect.ts'
import { FleetError } from './errors.ts'
import { findRun } from './status.ts'
import type { RunRow } from './types.ts'
import { writeStateFolder } from './worker-workspace.ts'

/** No journal has more lines: the database counts them in 32 bits. */
const NEWEST = 2 ** 31 - 1

/** A run of the fleet as a local state folder: `explain`, `replay`, `report`, `history` and `watch` read it like any other. */
export async function materialise(url: string, name: string, dir: string): Promise<RunRow> {
  if (existsSync(dir) && readdirSync(dir).length > 0)
    throw new FleetError(`${dir} is not empty; name a folder that is, or one that does not exist yet`)
  return withDatabase(url, ({ transaction }) =>
    transaction(async (query) => {
      // Journal and files are of the same moment, though the run goes on.
      await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
      const found = await findRun(query, name)
      if (found === undefined)
        throw new FleetError(`there is no run or task "${name}" that has begun; \`exitgate fleet status\` lists them`)
      await writeStateFolder(query, found.run, dir, NEWEST)
      return found
    }),
  )
}
