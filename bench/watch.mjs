// `exitgate watch` during a run: how long printed text takes to the page, and CPU time of the server with many tabs.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserProgram } from '../scripts/browser-program.mjs'
import * as api from './library.mjs'
import { appendIterations, writeLongRun } from './long-run.mjs'
import { median, round } from './median.mjs'

export const name = 'watch'
export const about =
  'the live page during a run: text from agent to page, server CPU with 1, 10 and 50 tabs, rejected requests, bytes'

const TABS = [1, 10, 50]
const BEFORE = 1000
const AFTER = 1400
const PATIENCE_MS = 40_000
const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

/** Lines that the agent prints, and the pause between them. */
const LINES = 60
const BETWEEN_MS = 100

export async function run({ print }) {
  const figures = {}
  figures.live = await inFolder(latency)
  print(`  text from the agent to the page  ${JSON.stringify(figures.live)}`)
  for (const tabs of TABS) {
    figures[tabs] = await inFolder((root) => measure(root, tabs))
    const ratio = round(figures[tabs].cpuMs / figures[TABS[0]].cpuMs, 2)
    figures[tabs].ratio = ratio
    print(`  ${String(tabs).padStart(3)} tabs  ${JSON.stringify(figures[tabs])}`)
  }
  return figures
}

async function inFolder(use) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-bench-watch-')))
  try {
    return await use(root)
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A real run whose agent prints the time, and how long each line takes to a tab and to the screen of a browser. */
async function latency(root) {
  const work = join(root, 'work')
  const stateDir = join(root, 'state')
  mkdirSync(work)
  writeFileSync(join(work, 'PROMPT.md'), 'Print the time.')
  const agent = join(root, 'agent.mjs')
  writeFileSync(
    agent,
    `import { existsSync } from 'node:fs'
const pause = (ms) => new Promise((done) => setTimeout(done, ms))
while (!existsSync(${JSON.stringify(join(root, 'go'))})) await pause(20)
for (let n = 0; n < ${LINES}; n++) { console.log('printed ' + Date.now()); await pause(${BETWEEN_MS}) }
`,
  )
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    EXITGATE_SANDBOX: 'off',
    EXITGATE_COMMANDS_TEST: 'echo ok 1; echo 1..1',
  }
  const args = [program, 'run', '--quiet', '--max-iterations', '1', '--state-dir', stateDir, '--prompt', 'PROMPT.md']
  const started = spawn(process.execPath, [...args, '--', process.execPath, agent], { cwd: work, env, stdio: 'ignore' })
  const ended = once(started, 'exit')
  const dir = await until(() => stateOf(stateDir))
  const server = await serve(root, { work, stateDir })
  try {
    const tab = await openTab(server, dir)
    await until(() => tab.live > 0)
    const browser = await openBrowser(server)
    writeFileSync(join(root, 'go'), '')
    await until(() => tab.printed.length >= LINES)
    const inBrowser = (await browser?.times()) ?? []
    tab.close()
    await browser?.close()
    return { lines: LINES, streamMs: spread(tab.printed), ...(browser && { browserMs: spread(inBrowser) }) }
  } finally {
    await server.stop()
    started.kill()
    await ended
  }
}

const spread = (times) => ({ median: round(median(times), 0), most: Math.max(...times), of: times.length })

const stateOf = (stateDir) =>
  existsSync(stateDir) && readdirSync(stateDir).find((name) => existsSync(join(stateDir, name, 'control.json')))

async function until(found) {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await found()
    if (value) return value
    if (Date.now() > end) throw new Error('the run did not get there')
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** A page in Chromium that notes how old each line is when it is drawn. Undefined without Chromium. */
async function openBrowser({ port, token }) {
  const { path } = browserProgram()
  if (path === undefined) return undefined
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  const page = await browser.newPage()
  await page.addInitScript(() => {
    const times = []
    Object.assign(globalThis, { times })
    new MutationObserver(() => {
      const all = [...(document.querySelector('.log')?.textContent ?? '').matchAll(/printed (\d+)/g)]
      for (const [, at] of all.slice(times.length)) times.push(Date.now() - Number(at))
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
  await page.goto(`http://127.0.0.1:${port}/#token=${token}`)
  await page.locator('.log .is-iteration').first().waitFor()
  return {
    times: () =>
      until(async () => {
        const times = await page.evaluate('times')
        return times.length >= LINES && times
      }),
    close: () => browser.close(),
  }
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
      const tab = {
        status: response.statusCode,
        events: [],
        shown: [],
        printed: [],
        live: 0,
        bytes: 0,
        close: () => request.destroy(),
      }
      let rest = ''
      let received = () => {}
      response.setEncoding('utf8').on('data', (text) => {
        tab.bytes += text.length
        const pieces = (rest + text).split('\n\n')
        rest = pieces.pop()
        for (const piece of pieces) {
          if (piece.startsWith('event: live')) {
            tab.live += 1
            for (const [, at] of piece.matchAll(/printed (\d+)/g)) tab.printed.push(Date.now() - Number(at))
          }
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
