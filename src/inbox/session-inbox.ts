import { constants, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nonce } from '../system/digest.ts'
import { errorCode, makeFolder } from '../system/files.ts'
import type { Address } from './attempt.ts'
import { closeInbox, type Inbox, readInbox } from './inbox.ts'
import { postSignal } from './post.ts'
import type { SignalFields } from './signal.ts'

/** A claim comes shortly before its stop, so older claims don't count. */
const FRESH_MS = 60 * 60_000

/** Outside a run, the workspace has one inbox, for the next stop that a hook checks. */
function addressIn(stateDir: string): Address {
  return { run: 'session', iteration: 1, nonce: 'session', inbox: join(stateDir, 'inbox', 'session.claims') }
}

/** Called when a session starts: the claims of an earlier session don't count. */
export function forgetSessionSignals(stateDir: string): void {
  closeInbox(addressIn(stateDir).inbox)
}

/** Stores a signal for the next stop. Returns a sentence if that fails. */
export function postSessionSignal(stateDir: string, signal: SignalFields, at: number): string | undefined {
  const address = addressIn(stateDir)
  try {
    makeFolder(dirname(address.inbox))
  } catch (error) {
    return `the inbox ${address.inbox} can't be created (${errorCode(error) || String(error)})`
  }
  return postSignal(address, signal, at, constants.O_CREAT)
}

/** Takes the claims since the last stop. They are removed, because the next stop needs its own claim. */
export function takeSessionSignals(stateDir: string, now: number): Inbox {
  const { inbox, ...attempt } = addressIn(stateDir)
  const taken = `${inbox}.${nonce()}`
  try {
    renameSync(inbox, taken)
  } catch (error) {
    return errorCode(error) === 'ENOENT'
      ? { signals: [], refused: [] }
      : { signals: [], refused: [`The signal inbox can't be read (${errorCode(error) || String(error)}).`] }
  }
  const read = readInbox(taken, attempt, now - FRESH_MS)
  closeInbox(taken)
  return read
}
