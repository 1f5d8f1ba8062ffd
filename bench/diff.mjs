// Diffs and long runs in the live page: how long a diff of 5 MB takes to open, and how long frames take while you scroll.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserProgram } from '../scripts/browser-program.mjs'
import * as api from './library.mjs'
import { writeLongRun } from './long-run.mjs'
import { median, round } from './median.mjs'
import { serve } from './watch.mjs'

export const name = 'diff'
export const about = 'the live page: opening a diff of 5 MB, scrolling it, and scrolling a run of 10,000 iterations'

const OPENINGS = 3
const FILES = 12
const LINES = 6_000
const ITERATIONS = 10_000
/** Pixels per frame: a fast flick of the wheel. */
const STEP = 240
const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

export async function run({ print }) {
  const { path: executablePath, missing } = browserProgram()
  if (executablePath === undefined) {
    print(`  ${missing}`)
    return { skipped: missing }
  }
  const { chromium } = await import('playwright-core')
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', ...quiet]
  const browser = await chromium.launch({ executablePath, args })
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-bench-diff-')))
  try {
    const figures = { diff: await largeDiff(root, browser) }
    print(`  a diff of ${figures.diff.megabytes} MB    ${JSON.stringify(figures.diff)}`)
    figures.iterations = await longRun(root, browser)
    print(`  10,000 iterations  ${JSON.stringify(figures.iterations)}`)
    return figures
  } finally {
    await browser.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** A real run whose agent rewrites files. */
async function largeDiff(root, browser) {
  const work = join(root, 'work')
  const stateDir = join(root, 'state')
  mkdirSync(work)
  const text = (word) => Array.from({ length: LINES }, (_, n) => `const ${word}${n} = compute(${n})\n`).join('')
  for (let n = 0; n < FILES; n++) writeFileSync(join(work, `file-${n}.js`), text('before'))
  writeFileSync(join(root, 'after.js'), text('after'))
  writeFileSync(join(work, 'agent.sh'), `for f in file-*.js; do cp '${root}/after.js' $f; done\n`)
  const env = { PATH: process.env.PATH, HOME: root, EXITGATE_STATE_DIR: stateDir, EXITGATE_SANDBOX: 'off' }
  const call = (command, args) => spawnSync(command, args, { cwd: work, env, encoding: 'utf8' })
  const git = (...args) => call('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args])
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'start')
  call(process.execPath, [program, ...'run --quiet --anyway --max-iterations 1 --test true -- sh agent.sh'.split(' ')])
  const opened = []
  for (let n = 0; n < OPENINGS; n++) {
    // Another server each time: the second answer of the same one comes from its memory.
    const server = await serve(root, { work, stateDir })
    try {
      opened.push(await openDiff(browser, server, n === OPENINGS - 1))
    } finally {
      await server.stop()
    }
  }
  const { megabytes, frames, rows } = opened.at(-1)
  return { megabytes, openMs: round(median(opened.map(({ openMs }) => openMs)), 0), goalMs: 2000, rows, frames }
}

async function openDiff(browser, { port, token }, scrolls) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  let megabytes = 0
  page.on('response', async (response) => {
    if (response.url().includes('/diff?')) megabytes = round((await response.body()).length / 1e6, 1)
  })
  await page.goto(`http://127.0.0.1:${port}/#token=${token}`)
  await page.getByRole('tab', { name: /^Changes/ }).waitFor()
  // From the click until lines of a file are drawn. The file is opened as soon as it is listed.
  const openMs = await page.evaluate(untilDrawn)
  const rows = await page.evaluate('document.querySelectorAll(".changes .row").length')
  const frames = scrolls ? frameTimes(await page.evaluate(scroll, { step: STEP })) : undefined
  await context.close()
  return { openMs, megabytes, rows, frames }
}

async function longRun(root, browser) {
  const run = writeLongRun(api, root, ITERATIONS)
  const server = await serve(root, run)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  try {
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${server.port}/#token=${server.token}`)
    await page.getByRole('tab', { name: /^Iterations/ }).click()
    await page.locator('[role=listbox][aria-label=Iterations] [role=option]').first().waitFor()
    const selector = '[role=listbox][aria-label=Iterations]'
    return { frames: frameTimes(await page.evaluate(scroll, { selector, step: STEP })) }
  } finally {
    await context.close()
    await server.stop()
  }
}

/** Runs in the page. */
function untilDrawn() {
  const { document, performance, requestAnimationFrame } = globalThis
  return new Promise((done) => {
    const began = performance.now()
    for (const tab of document.querySelectorAll('[role=tab]')) if (tab.textContent.startsWith('Changes')) tab.click()
    const look = () => {
      const file = document.querySelector('.changes details.file')
      if (file !== null && !file.open) file.querySelector('summary').click()
      if (file?.querySelector('.plus, .minus')) requestAnimationFrame(() => done(performance.now() - began))
      else requestAnimationFrame(look)
    }
    look()
  })
}

/** Runs in the page: scrolls for 300 frames, and returns the time between frames. */
function scroll({ selector, step }) {
  const { document, requestAnimationFrame } = globalThis
  const place = selector === undefined ? document.scrollingElement : document.querySelector(selector)
  return new Promise((done) => {
    place.scrollTop = 0
    const times = []
    let last
    const frame = (now) => {
      if (last !== undefined) times.push(now - last)
      last = now
      place.scrollTop += step
      if (times.length < 300) requestAnimationFrame(frame)
      else done(times)
    }
    requestAnimationFrame(frame)
  })
}

/** Median and 95th percentile of the frame times, in ms. */
function frameTimes(times) {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share) => round(sorted[Math.floor(share * sorted.length)], 1)
  return { medianMs: at(0.5), p95Ms: at(0.95) }
}
