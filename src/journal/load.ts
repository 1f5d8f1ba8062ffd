import type { State } from '../core/journal/events.ts'
import { Fold } from '../core/journal/fold.ts'
import { BEGINNING, type Position, readChain } from './chain.ts'
import { readSnapshot } from './snapshot.ts'

export const JOURNAL = 'journal.jsonl'

export interface Loaded {
  readonly state: State
  readonly position: Position
  /** Bytes of an unfinished append at the end. */
  readonly torn: number
  /** How far the snapshot in the folder covers the journal. 0 if it is missing or invalid. */
  readonly covered: Position
  readonly problems: readonly string[]
}

/** The state of an open journal: starts from a valid snapshot, or else from the beginning. */
export function load(dir: string, fd: number, file: string): Loaded {
  const snapshot = readSnapshot(dir, fd)
  const sound = 'state' in snapshot
  const covered = sound ? snapshot.position : BEGINNING
  const fold = new Fold(sound ? snapshot.state : undefined)
  const links = readChain(fd, file, covered)
  for (;;) {
    const next = links.next()
    if (next.done) {
      const problems = sound || snapshot.problem === undefined ? [] : [snapshot.problem]
      return { state: fold.state, position: next.value.position, torn: next.value.torn, covered, problems }
    }
    fold.add(next.value.event)
  }
}
