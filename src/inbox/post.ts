import { closeSync, constants, fstatSync, statSync } from 'node:fs'
import { nonce } from '../system/digest.ts'
import { errorCode, openPlain, writeAll } from '../system/files.ts'
import type { Address } from './attempt.ts'
import type { SignalFields } from './signal.ts'

const MAX_TRIES = 5

/**
 * Appends one signal to the inbox in one write. Returns a sentence if that fails. The loop creates its inbox, so a missing one is an
 * error; `flags` can create that of a session.
 */
export function postSignal(
  { inbox, run, iteration, nonce: own }: Address,
  signal: SignalFields,
  at: number,
  flags = 0,
): string | undefined {
  const line = `${JSON.stringify({ v: 1, at, id: nonce(), run, iteration, nonce: own, ...signal })}\n`
  try {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const fd = openPlain(inbox, constants.O_WRONLY | constants.O_APPEND | flags)
      try {
        writeAll(fd, Buffer.from(line))
        // A hook renames and removes the inbox to read it. A later write to the removed file would be lost.
        if (statSync(inbox, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino) return undefined
      } finally {
        closeSync(fd)
      }
    }
    return `the inbox ${inbox} was replaced during each of ${MAX_TRIES} writes`
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return `the inbox ${inbox} is gone, because that start of the agent has ended`
    const sandbox = ['EACCES', 'EPERM', 'EROFS'].includes(code)
    return `the inbox ${inbox} can't be written (${code || String(error)})${
      sandbox ? '. In a sandbox, use the exit_signal tool, or end your final message with the status lines' : ''
    }`
  }
}
