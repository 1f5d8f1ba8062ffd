import { closeSync, constants } from 'node:fs'
import { nonce } from '../system/digest.ts'
import { errorCode, openPlain, writeAll } from '../system/files.ts'
import type { Address } from './attempt.ts'
import type { SignalFields } from './signal.ts'

/**
 * Puts one signal into the inbox, as one write at its end. Gives back in a sentence why it could not. The inbox is made by the
 * loop: where there is none, nobody would read what is written.
 */
export function postSignal(
  { inbox, run, iteration, nonce: own }: Address,
  signal: SignalFields,
  at: number,
): string | undefined {
  const line = `${JSON.stringify({ v: 1, at, id: nonce(), run, iteration, nonce: own, ...signal })}\n`
  try {
    const fd = openPlain(inbox, constants.O_WRONLY | constants.O_APPEND)
    try {
      writeAll(fd, Buffer.from(line))
    } finally {
      closeSync(fd)
    }
    return undefined
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return `the inbox ${inbox} is gone: that start of the agent is over`
    const sandbox = ['EACCES', 'EPERM', 'EROFS'].includes(code)
    return `the inbox ${inbox} cannot be written (${code || String(error)})${
      sandbox ? '; in a sandbox use the exit_signal tool, or close the final message with the status lines' : ''
    }`
  }
}
