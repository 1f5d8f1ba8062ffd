import type { RunRow, RunStatus } from './row.ts'

const RANK: Readonly<Record<RunStatus, number>> = { running: 0, held: 0, waiting: 0, idle: 1, unreadable: 1, ended: 1 }

/** What is being worked on comes first, then the newest; of two alike the name decides, so that nothing jumps about. */
export function inOrder(rows: Iterable<RunRow>): readonly RunRow[] {
  return [...rows].sort((one, other) => {
    const rank = RANK[one.status] - RANK[other.status]
    if (rank !== 0) return rank
    const at = RANK[one.status] === 0 ? other.startedAt - one.startedAt : other.seenAt - one.seenAt
    return at !== 0 ? at : one.id < other.id ? -1 : 1
  })
}
