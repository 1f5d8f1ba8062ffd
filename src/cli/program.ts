#!/usr/bin/env node
import { fstatSync, writeSync } from 'node:fs'
import { errorCode } from '../system/files.ts'
import { main } from './main.ts'

/** Writing to the descriptor directly saves the start-up time of a stream. Only a terminal needs more. */
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
      // A reader that closes early (`| head`) is not an error. Wait while the pipe is full.
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
  // `node:os` gives the same, and is loaded only if HOME is not set.
  home: process.env.HOME || process.getBuiltinModule('node:os').homedir(),
  platform: process.platform,
  pid: process.pid,
  now: () => Date.now(),
}).then((code) => {
  // Everything is written, and exiting at once saves the time Node takes to clean up.
  process.exit(code)
})
