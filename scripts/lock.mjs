import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const heartbeatMs = 2_000
const silentMs = 120_000
const youngMs = 5_000

/** Runs `work` while holding `folder`: one holder at a time on this machine, and a dead holder does not block for ever. */
export async function withLock(folder, work, { waiting = () => {}, pollMs = 100 } = {}) {
  mkdirSync(dirname(folder), { recursive: true })
  let said = false
  while (!take(folder)) {
    const holder = look(folder)
    if (holder.stale) clear(folder)
    else {
      if (!said) waiting(holder.pid)
      said = true
      await sleep(pollMs)
    }
  }
  const heartbeat = setInterval(() => {
    try {
      utimesSync(folder, new Date(), new Date())
    } catch {
      // Someone removed the folder by hand: the work goes on, there is nothing left to keep alive.
    }
  }, heartbeatMs)
  heartbeat.unref()
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    rmSync(folder, { recursive: true, force: true })
  }
}

function take(folder) {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
  writeFileSync(join(folder, 'holder.json'), JSON.stringify({ pid: process.pid, host: hostname() }))
  return true
}

/** A holder is stale when its process is gone, when it was silent for long, or when it never got to write its name. */
function look(folder) {
  let age
  try {
    age = Date.now() - statSync(folder).mtimeMs
  } catch {
    return { stale: false }
  }
  let holder
  try {
    holder = JSON.parse(readFileSync(join(folder, 'holder.json'), 'utf8'))
  } catch {
    return { stale: age > youngMs }
  }
  const gone = holder.host === hostname() && !alive(holder.pid)
  return { pid: holder.pid, stale: gone || age > silentMs }
}

function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Only one waiter may clear a stale lock, and it looks again first: else a second one would remove the next holder's. */
function clear(folder) {
  const broom = `${folder}.broom`
  try {
    mkdirSync(broom)
  } catch {
    try {
      if (Date.now() - statSync(broom).mtimeMs > youngMs) rmSync(broom, { recursive: true, force: true })
    } catch {
      // Another waiter has just finished clearing.
    }
    return
  }
  try {
    if (look(folder).stale) rmSync(folder, { recursive: true, force: true })
  } finally {
    rmSync(broom, { recursive: true, force: true })
  }
}
