import { closeSync, constants, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nonce } from '../system/digest.ts'
import { errorCode, openPlain } from '../system/files.ts'
import type { Address } from './attempt.ts'
import { closeInbox, type Inbox, readInbox } from './inbox.ts'
import { postSignal } from './post.ts'
import type { SignalFields } from './signal.ts'

/** Between a claim and the stop it is about lie the agent's last words, not a day. */
const FRESH_MS = 60 * 60_000

/** Outside a run there is one inbox for the workspace: what lies there is for the next stop that a hook sees. */
function addressIn(stateDir: string): Address {
  return { run: 'session', iteration: 1, nonce: 'session', inbox: join(stateDir, 'inbox', 'session.claims') }
}

/** A session begins: the claim of an earlier one is not its claim. */
export function forgetSessionSignals(stateDir: string): void {
  closeInbox(addressIn(stateDir).inbox)
}

/** Leaves a signal for the next stop, or says in a sentence why it could not. */
export function postSessionSignal(stateDir: string, signal: SignalFields, at: number): string | undefined {
  const address = addressIn(stateDir)
  try {
    mkdirSync(dirname(address.inbox), { recursive: true, mode: 0o700 })
    closeSync(openPlain(address.inbox, constants.O_WRONLY | constants.O_CREAT))
  } catch (error) {
    return `the inbox ${address.inbox} cannot be made (${errorCode(error) || String(error)})`
  }
  return postSignal(address, signal, at)
}

/** What was claimed since the last stop. It is taken out: the next stop needs a claim of its own. */
export function takeSessionSignals(stateDir: string, now: number): Inbox {
  const { inbox, ...attempt } = addressIn(stateDir)
  const taken = `${inbox}.${nonce()}`
  try {
    renameSync(inbox, taken)
  } catch (error) {
    return errorCode(error) === 'ENOENT'
      ? { signals: [], refused: [] }
      : { signals: [], refused: [`the inbox for signals cannot be read (${errorCode(error) || String(error)})`] }
  }
  const read = readInbox(taken, attempt, now - FRESH_MS)
  closeInbox(taken)
  return read
}
