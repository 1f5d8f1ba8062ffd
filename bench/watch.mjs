// The cost of `exitgate watch` during a run: CPU time of the server with many tabs, compared with one tab.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as api from './library.mjs'
import { appendIterations, writeLongRun } from './long-run.mjs'
import { round } from './median.mjs'

export const name = 'watch'
export const about = 'the live page during a run: server CPU with 1, 10 and 50 tabs, rejected requests, bytes'

const TABS = [1, 10, 50]
const BEFORE = 1000
const AFTER = 1400
const PATIENCE_MS = 40_000
const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

export async function run({ print }) {
  const figures = {}
  for (const tabs of TABS) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-bench-watch-')))
    try {
      figures[tabs] = await measure(root, tabs)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
    const ratio = round(figures[tabs].cpuMs / figures[TABS[0]].cpuMs, 2)
    figures[tabs].ratio = ratio
    print(`  ${String(tabs).padStart(3)} tabs  ${JSON.stringify(figures[tabs])}`)
  }
  return figures
}

async function measure(root, count) {
  const run = writeLongRun(api, root, BEFORE, { ended: false })
  const server = await serve(root, run)
  try {
    const tabs = await Promise.all(Array.from({ length: count }, () => openTab(server, run.id)))
    await Promise.all(tabs.map((tab) => tab.until(BEFORE)))
    for (let n = BEFORE; n < AFTER; n += 100) {
      grow(run, n, n + 100, 25)
      await Promise.all(tabs.map((tab) => tab.until(n + 100)))
    }
    const refused = tabs.filter(({ status }) => status !== 200).length
    const events = tabs.reduce((sum, tab) => sum + tab.events.length, 0)
    const cpuMs = cpuOf(server.pid)
    for (const tab of tabs) tab.close()
    return { cpuMs, refused, events, kilobytes: round(tabs[0].bytes / 1000, 0) }
  } finally {
    await server.stop()
  }
}

/** User and system time of a process so far, in ms; undefined if the system doesn't report it. */
function cpuOf(pid) {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ')
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

/** `exitgate watch` for that run. With a given port the token stays the same. */
export async function serve(root, { work, stateDir }, port) {
  const home = join(root, 'home')
  mkdirSync(home, { recursive: true })
  // The same port and token after a restart; the first start picks any free port.
  const chosen = port ?? 20_000 + (process.pid % 20_000)
  const env = { PATH: process.env.PATH, HOME: home }
  const args = [program, 'watch', '--json', '--port', String(chosen), '--state-dir', stateDir]
  const child = spawn(process.execPath, args, { cwd: work, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const { url } = JSON.parse(line)
  return {
    pid: child.pid,
    port: chosen,
    token: url.split('token=')[1],
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** Continues the run by some iterations at a time. */
export function grow({ dir }, from, to, step) {
  const journal = api.openJournal(dir)
  for (let n = from + step; n <= to; n += step) appendIterations(api, journal, n)
  journal.close()
}

/** Acts like a tab of the page: listens and assembles the updates. */
export function openTab({ port, token }, journal, seen) {
  const path = `/events?${new URLSearchParams({ journal, ...seen })}`
  const headers = { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      const tab = { status: response.statusCode, events: [], shown: [], bytes: 0, close: () => request.destroy() }
      let rest = ''
      let received = () => {}
      response.setEncoding('utf8').on('data', (text) => {
        tab.bytes += text.length
        const pieces = (rest + text).split('\n\n')
        rest = pieces.pop()
        for (const piece of pieces) {
          if (!piece.startsWith('event: report')) continue
          const update = JSON.parse(piece.slice(piece.indexOf('data: ') + 6))
          tab.shown = [...(update.whole ? [] : tab.shown), ...update.columns.n]
          tab.events.push(update)
        }
        received()
      })
      response.on('error', () => {})
      tab.closed = new Promise((closed) => response.on('close', closed))
      tab.until = (iterations) =>
        new Promise((done, failed) => {
          const late = setTimeout(() => failed(new Error(`${iterations} iterations did not arrive`)), PATIENCE_MS)
          received = () => {
            if (tab.events.at(-1)?.iterations !== iterations) return
            clearTimeout(late)
            done()
          }
          received()
        })
      resolve(tab)
    })
    request.on('error', reject)
  })
}
