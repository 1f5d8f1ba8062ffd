#!/usr/bin/env node
import { fstatSync, writeSync } from 'node:fs'
import { errorCode } from '../system/files.ts'
import { main } from './main.ts'

/** Writing to the descriptor itself spares the start-up time of a stream; only a terminal needs more than that. */
function output(fd: 1 | 2) {
  const stream = () => (fd === 1 ? process.stdout : process.stderr)
  const terminal = (): boolean => {
    try {
      return fstatSync(fd).isCharacterDevice() && stream().isTTY === true
    } catch {
      return false
    }
  }
  return {
    write: (text: string): void => writeAll(fd, Buffer.from(text)),
    get isTTY(): boolean {
      return terminal()
    },
    get columns(): number | undefined {
      return terminal() ? stream().columns : undefined
    },
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      const code = errorCode(error)
      // A reader that goes away early (`| head`) is no error; a full pipe is waited for.
      if (code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

// Node would open its debugger on this signal, and any process of the same user can send it.
process.on('SIGUSR1', () => {})

main(process.argv.slice(2), {
  stdout: output(1),
  stderr: output(2),
  env: process.env,
  cwd: process.cwd(),
  // `node:os` says the same, and is loaded only where this is not set.
  home: process.env.HOME || process.getBuiltinModule('node:os').homedir(),
  platform: process.platform,
  pid: process.pid,
  now: () => Date.now(),
}).then((code) => {
  // Everything is written by now, and an exit at once spares the time in which Node would tidy up its memory.
  process.exit(code)
})
