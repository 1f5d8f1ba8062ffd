import { writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryTake } from '../journal/lock.ts'
import { type Holder, thisProcess } from '../journal/lock-owner.ts'
import { digest } from '../system/digest.ts'
import { makeFolder, removeFile } from '../system/files.ts'
import { stopFile } from './attempts.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'
import type { StopToVerify } from './stop-request.ts'

/** A hook that took the lock longer than this before another one started belongs to an earlier stop with the same message. */
const START_TOGETHER_MS = 60_000
/** An attempt is repeated if the lock is released or replaced at the same time. */
const MAX_TRIES = 100

/**
 * Takes a stop for this process; undefined if another hook of the same stop has it. All hooks of a stop start before the first of
 * them has answered, and the agent stops again only after that. So a process that is older than the answer to the same message
 * belongs to the same stop. A hook can outlive its stop if the client ends only the shell around it, so each message has its own lock.
 */
export function takeStop({ call, stop, place, message }: StopToVerify): { answered(): void } | undefined {
  const about = ['once', stop.of, stop.session, stop.part]
  const last = stopFile(place.stateDir, about, 'last')
  const event = digest(message)
  const release = take(stopFile(place.stateDir, [...about, event], 'lock'), call.world.age())
  if (release === undefined) return undefined
  const before = readJsonFile(last)
  if (before !== undefined && before !== 'broken' && before.event === event && Number(before.at) > call.world.started) {
    release()
    return undefined
  }
  return {
    answered() {
      try {
        writeJsonFile(last, { v: 1, event, at: call.world.now() })
        release()
      } catch {
        // Without a record, a second hook decides again.
      }
    },
  }
}

/**
 * Returns how to release the lock, or undefined if another hook of the same stop holds it. If the lock can't be taken for another
 * reason, this process decides without it.
 */
function take(lock: string, age: number): (() => void) | undefined {
  const me = thisProcess('hook')
  const draft = `${lock}.${me.nonce}`
  try {
    makeFolder(dirname(lock))
    try {
      writeFileSync(draft, `${JSON.stringify(me)}\n`, { flag: 'wx', mode: 0o600 })
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const holder = tryTake(lock, draft)
        if (holder === 'mine') return () => removeFile(lock)
        if (holder !== undefined) return isOfSameStop(holder, age) ? undefined : () => {}
      }
    } finally {
      removeFile(draft)
    }
  } catch {
    // For example, the folder can't be written.
  }
  return () => {}
}

/** All hooks of a stop start together, on one machine. */
const isOfSameStop = ({ liveness, at }: Holder, age: number): boolean =>
  liveness !== 'elsewhere' && Date.now() - age - at < START_TOGETHER_MS
