import { closeSync, constants } from 'node:fs'
import { nonce } from '../system/digest.ts'
import { errorCode, openPlain, writeAll } from '../system/files.ts'
import type { Address } from './attempt.ts'
import type { SignalFields } from './signal.ts'

/** Appends one signal to the inbox in one write. Returns a sentence if that fails. The loop creates the inbox, so a missing one is an error. */
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
    if (code === 'ENOENT') return `the inbox ${inbox} is gone, because that start of the agent has ended`
    const sandbox = ['EACCES', 'EPERM', 'EROFS'].includes(code)
    return `the inbox ${inbox} can't be written (${code || String(error)})${
      sandbox ? '. In a sandbox, use the exit_signal tool, or end your final message with the status lines' : ''
    }`
  }
}
