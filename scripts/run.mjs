import { spawn } from 'node:child_process'

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** A reason to stop before the job is done. */
export class Stop extends Error {
  constructor(message, { code = 1, signal = null } = {}) {
    super(message)
    this.code = code
    this.signal = signal
  }
}

/** Runs a command and returns how it ended: { code, signal, stderr }. */
export function run(command, args, { cwd, env = process.env, stdio = 'inherit', shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio, shell })
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    const pass = (signal) => {
      // In a terminal the child is in the same foreground group and has received the signal already.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    for (const signal of FORWARDED_SIGNALS) process.on(signal, pass)
    const done = () => {
      for (const signal of FORWARDED_SIGNALS) process.off(signal, pass)
    }
    child.on('error', (error) => {
      done()
      reject(error)
    })
    child.on('close', (code, signal) => {
      done()
      resolve({ code: code ?? 1, signal, stderr })
    })
  })
}

/** Ends this process the same way its child ended. */
export function exitLike({ code, signal }) {
  if (signal) process.kill(process.pid, signal)
  else process.exitCode = code
}
