import type { Control } from '../core/run.ts'
import { readJournal } from '../journal/read.ts'
import { reaper, whyNot } from '../loop/control/may-ask.ts'
import { findPlace } from '../loop/control/place.ts'
import { bootedAt, lineageOf, lookNow } from '../loop/control/process-ancestry.ts'
import { membersOf } from '../system/processes.ts'
import { peersOf } from './peer.ts'

/** Both ends of the connection over which a button was pressed. */
export interface Ends {
  readonly theirPort: number
  readonly ourPort: number
}

/**
 * Why a button may not have been pressed by whoever pressed it. The run looks at this process, which a person started; but the agent
 * may have got hold of the token, and then it is not a person who asks through it. So the same is asked of the program at the other
 * end, with one difference: a browser needs no terminal.
 */
export async function whyNotPressed(dir: string, kind: Control['kind'], ends: Ends): Promise<string | undefined> {
  const peers = peersOf(ends.theirPort, ends.ourPort)
  const { state } = readJournal(dir)
  const adopting = await reaper()
  const look = lookNow()
  const agent = state.running?.agent
  const runner = lineageOf(findPlace(dir)?.pid ?? 0, look)
  const startedAt = state.startedAt ?? 0
  const about = {
    runner,
    agent: new Set(agent === undefined ? [] : membersOf(agent).map(({ pid }) => pid)),
    reaper: adopting,
    since: startedAt < bootedAt() ? (runner[0]?.startedAt ?? startedAt) : startedAt,
    allowRemote: false,
  }
  if (peers === undefined) return whyNot(kind, { ...about, blind: process.platform === 'win32', lineage: undefined })
  for (const pid of peers) {
    const [first, ...rest] = lineageOf(pid, look)
    const lineage = first === undefined ? undefined : [{ ...first, terminal: true }, ...rest]
    const why = whyNot(kind, { ...about, blind: false, lineage })
    if (why !== undefined) return why
  }
  return undefined
}
