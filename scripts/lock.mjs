import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const heartbeatMs = 2_000
const silentMs = 120_000
const youngMs = 5_000

/** Runs `work` while holding `folder`. There is one holder at a time on this machine, and a dead holder doesn't block forever. */
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
      // The user removed the folder by hand; the work continues without a lock to renew.
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

/** A holder is stale if its process has exited, if it was silent for long, or if it never wrote its name. */
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

/**
 * Only one waiter may clear a stale lock, and it checks again first; otherwise a second one would remove the next holder's lock.
 */
function clear(folder) {
  const cleanupLock = `${folder}.broom`
  try {
    mkdirSync(cleanupLock)
  } catch {
    try {
      if (Date.now() - statSync(cleanupLock).mtimeMs > youngMs) rmSync(cleanupLock, { recursive: true, force: true })
    } catch {
      // Another waiter has just cleared it.
    }
    return
  }
  try {
    if (look(folder).stale) rmSync(folder, { recursive: true, force: true })
  } finally {
    rmSync(cleanupLock, { recursive: true, force: true })
  }
}
