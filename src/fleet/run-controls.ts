import type { Control } from '../core/run.ts'
import { assertOwner } from './publish.ts'
import { retryWhileLeased } from './retry.ts'
import type { WorkspaceOptions } from './worker-workspace.ts'

/** A control with its id in the database. */
export type PendingControl = Control & { readonly id: string }

/** Assigns the pending controls of a run to the step `name`, so that no other step handles them. */
export async function takeControls(options: WorkspaceOptions, name: string): Promise<readonly PendingControl[]> {
  const { database, lease, run } = options
  return retryWhileLeased(lease, async () => {
    const some = await database.query(
      'SELECT 1 FROM exitgate.controls WHERE run = $1 AND (taken IS NULL OR taken = $2) LIMIT 1',
      [run, name],
    )
    if (some.length === 0) return []
    return database.transaction(async (query) => {
      await assertOwner(query, options)
      const rows = await query<{ id: string; kind: Control['kind']; by: string; reason: string }>(
        `UPDATE exitgate.controls SET taken = $2 WHERE run = $1 AND (taken IS NULL OR taken = $2) RETURNING id, kind, by, reason`,
        [run, name],
      )
      return [...rows].sort((one, two) => Number(one.id) - Number(two.id))
    })
  })
}
