import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { digest } from '../system/digest.ts'
import { errorCode, removeFile } from '../system/files.ts'
import { stopFile } from './attempts.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'
import type { StopToVerify } from './stop-request.ts'

/** A process that holds a stop for longer than this has ended, and its number belongs to another one. */
const STALE_MS = 2 * 3_600_000

/**
 * Takes a stop for this process; undefined if another hook of the same stop has it. All hooks of a stop start before the first of
 * them has answered, and the agent stops again only after that. So a process that is older than the answer to the same message
 * belongs to the same stop.
 */
export function takeStop({ call, stop, place, message }: StopToVerify): { answered(): void } | undefined {
  const about = ['once', stop.of, stop.session, stop.part]
  const lock = stopFile(place.stateDir, about, 'lock')
  const last = stopFile(place.stateDir, about, 'last')
  const event = digest(message)
  if (!take(lock)) return undefined
  const before = readJsonFile(last)
  const release = (): void => removeFile(lock)
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

/** Whether this process got the lock. If it can't be written, each hook decides for itself. */
function take(lock: string): boolean {
  for (const again of [false, true])
    try {
      mkdirSync(dirname(lock), { recursive: true, mode: 0o700 })
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
      return true
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') return true
      if (again || isHeld(lock)) return false
      removeFile(lock)
    }
  return false
}

function isHeld(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    // An empty file is about to be written.
    if (!(pid > 0)) return Date.now() - statSync(lock).mtimeMs < 10_000
    if (pid === process.pid || Date.now() - statSync(lock).mtimeMs > STALE_MS) return false
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
