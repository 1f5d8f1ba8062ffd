// Faults of the live page: many tabs, a tab that doesn't read, and a killed server. `rows` for `npm run faults`.
import { connect } from 'node:net'
import * as api from '../bench/library.mjs'
import { writeLongRun } from '../bench/long-run.mjs'
import { grow, openTab, serve } from '../bench/watch.mjs'

const TABS = 50

export const rows = [
  { name: 'page: 50 tabs of one user during a run', run: manyTabs },
  { name: 'page: a tab that does not read', run: slowTab },
  { name: 'page: the server is killed and started again', run: killedServer },
]

async function manyTabs({ dir, log }) {
  const run = writeLongRun(api, dir, 100, { ended: false })
  const server = await serve(dir, run)
  try {
    const tabs = await Promise.all(Array.from({ length: TABS }, () => openTab(server, run.id)))
    await Promise.all(tabs.map((tab) => tab.until(100)))
    grow(run, 100, 400, 50)
    await Promise.all(tabs.map((tab) => tab.until(400)))
    const refused = tabs.filter(({ status }) => status !== 200).length
    const wrong = tabs.filter(({ shown }) => shown.length !== 400).length
    for (const tab of tabs) tab.close()
    log(`${TABS} tabs, ${tabs.reduce((sum, { events }) => sum + events.length, 0)} events`)
    return { ok: refused + wrong === 0, detail: `${refused} tabs refused, ${wrong} with gaps` }
  } finally {
    await server.stop()
  }
}

async function slowTab({ dir }) {
  const run = writeLongRun(api, dir, 2000, { ended: false })
  const server = await serve(dir, run)
  const slow = Array.from({ length: 10 }, () => connect(server.port, '127.0.0.1').on('error', () => {}))
  try {
    const lines = [`GET /events?journal=${run.id} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`]
    for (const socket of slow)
      socket.pause().write(`${[...lines, `Authorization: Bearer ${server.token}`].join('\r\n')}\r\n\r\n`)
    const tab = await openTab(server, run.id)
    await tab.until(2000)
    grow(run, 2000, 2600, 100)
    await tab.until(2600)
    tab.close()
    return {
      ok: tab.shown.length === 2600,
      detail: `10 tabs read nothing, the other one got ${tab.shown.length} iterations`,
    }
  } finally {
    for (const socket of slow) socket.destroy()
    await server.stop()
  }
}

async function killedServer({ dir }) {
  const run = writeLongRun(api, dir, 50, { ended: false })
  const first = await serve(dir, run)
  const before = await openTab(first, run.id)
  await before.until(50)
  process.kill(first.pid, 'SIGKILL')
  await before.closed
  grow(run, 50, 90, 10)
  const second = await serve(dir, run, first.port)
  try {
    const known = { run: before.events[0].run, iterations: 50, seq: before.events.at(-1).seq }
    const after = await openTab(second, run.id, known)
    await after.until(90)
    const continued = after.events[0].whole === false && after.shown.length === 40
    after.close()
    return { ok: continued, detail: continued ? 'the tab continued where it was' : 'the tab had to load the run again' }
  } finally {
    await second.stop()
  }
}
