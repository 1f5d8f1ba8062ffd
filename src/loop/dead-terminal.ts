import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { isatty } from 'node:tty'

let watched: readonly number[] | undefined

/**
 * When it ends, Node sets the terminal back as it was and aborts if the terminal is gone: the exit code would be lost, and
 * with it what the run ended as. So whatever was a terminal and is none any more is replaced by nothing, last of all.
 */
export function outliveTerminal(): void {
  if (watched !== undefined || process.platform === 'win32') return
  watched = [0, 1, 2].filter((fd) => isatty(fd))
  process.on('exit', () => {
    for (const fd of watched ?? []) if (!isatty(fd)) replace(fd)
  })
}

/** The lowest free number is taken for what is opened next, and that is the one just closed. */
function replace(fd: number): void {
  try {
    closeSync(fd)
    openSync(devNull, 'r+')
  } catch {
    // There is nothing left that could be told, nor anybody to tell it to.
  }
}
