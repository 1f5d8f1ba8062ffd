// How long a report takes to create, how large it is, and how long a real browser needs until it is usable.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { browserProgram } from '../scripts/browser-program.mjs'
import { signalsOf } from './long-run.mjs'
import { median, round } from './median.mjs'

export const name = 'report'
export const about =
  'reports of 10, 1,000 and 10,000 iterations: creation, size, time until usable, one keyboard step; a 5 MB diff'

const SIZES = [10, 1000, 10_000]
const OPENINGS = 3
const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

export async function run({ print, library = new URL('./library.mjs', import.meta.url).href } = {}) {
  const { openJournal } = await import(library)
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-bench-report-')))
  const { path: chromium, missing } = browserProgram()
  const browser = chromium === undefined ? undefined : await launch(chromium)
  if (browser === undefined) print(`  ${missing}: only creation is measured`)
  try {
    const figures = {}
    for (const iterations of SIZES) {
      const { makeMs, file, commands } = make(root, iterations, openJournal)
      const opened = []
      for (let n = 0; browser !== undefined && n < OPENINGS; n++) opened.push(await open(browser, file))
      const of = (figure) =>
        opened.length === 0 ? {} : { [figure]: round(median(opened.map((each) => each[figure])), 1) }
      const megabytes = round(statSync(file).size / 1e6, 2)
      figures[iterations] = {
        makeMs: round(makeMs, 0),
        megabytes,
        ...of('usableMs'),
        ...of('stepMs'),
        ...of('elements'),
        commands,
      }
      print(`  ${String(iterations).padStart(6)} iterations  ${JSON.stringify(figures[iterations])}`)
    }
    figures.diff = await largeDiff(root, browser)
    print(`  a diff of 5 MB      ${JSON.stringify(figures.diff)}`)
    return figures
  } finally {
    await browser?.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** Creates a report with the program itself, for a run of that length. */
function make(root, iterations, openJournal) {
  const work = join(root, `run-${iterations}`)
  const state = join(root, `state-${iterations}`)
  const file = join(root, `report-${iterations}.html`)
  mkdirSync(work)
  // Starts with one decision of the real program, to get the journal's path and a configuration.
  const env = { PATH: process.env.PATH, HOME: root, EXITGATE_STATE_DIR: state }
  const call = (args) => {
    const ended = spawnSync(process.execPath, [program, ...args], {
      cwd: work,
      env,
      encoding: 'utf8',
      maxBuffer: 1e9,
      input: 'I go on.',
    })
    return { ...ended, out: ended.stdout.trim() }
  }
  call(['check', '--transcript', '-', '--max-iterations', '1000000', '--max-minutes', '1000000000'])
  const { dir } = JSON.parse(call(['state', '--json']).out)
  const journal = openJournal(dir)
  const at = Date.UTC(2026, 0, 2)
  for (let first = 2; first <= iterations; first += 100) {
    const length = Math.min(100, iterations - first + 1)
    journal.append(
      Array.from({ length }, (_, n) => decided(first + n, journal.state.counters)),
      at + first * 60_000,
    )
  }
  journal.close()
  const began = performance.now()
  const made = call(['report', '--out', file])
  const makeMs = performance.now() - began
  if (made.status !== 0) throw new Error(`the report was not created: ${made.stderr}`)
  return { makeMs, file, commands: commandTimes(call) }
}

/** What else you ask about a run in the morning: wall time, and CPU time because the machine may have other work. */
const COMMANDS = ['report --json', 'report --format markdown --out -', 'explain', 'state', 'status']

function commandTimes(call) {
  const cpuOfChildren = () => {
    // Fields 15 and 16 of the kernel's table, in ticks of 10 ms; absent elsewhere than on Linux.
    try {
      const stat = readFileSync('/proc/self/stat', 'latin1')
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(13, 15)
      return (Number(user) + Number(system)) * 10
    } catch {
      return Number.NaN
    }
  }
  return Object.fromEntries(
    COMMANDS.map((command) => {
      const [began, cpu] = [performance.now(), cpuOfChildren()]
      const { status, stderr } = call(command.split(' '))
      if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
      return [command, { ms: round(performance.now() - began, 0), cpuMs: cpuOfChildren() - cpu }]
    }),
  )
}

const DIFF_FILES = 12
const DIFF_LINES = 6_000

/** A run whose agent rewrites files, about 5 MB of diff: creation, time until usable, and time until an opened file is drawn. */
async function largeDiff(root, browser) {
  const work = join(root, 'large-diff')
  const file = join(root, 'large-diff.html')
  mkdirSync(work)
  const texts = (word) => Array.from({ length: DIFF_LINES }, (_, n) => `const ${word}${n} = compute(${n})\n`).join('')
  for (let n = 0; n < DIFF_FILES; n++) writeFileSync(join(work, `file-${n}.js`), texts('before'))
  writeFileSync(join(root, 'after.js'), texts('after'))
  writeFileSync(join(work, 'agent.sh'), `for f in file-*.js; do cp '${root}/after.js' $f; done\n`)
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    EXITGATE_STATE_DIR: join(root, 'state-diff'),
    EXITGATE_SANDBOX: 'off',
  }
  const call = (command, args) => spawnSync(command, args, { cwd: work, env, encoding: 'utf8' })
  const git = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...git, 'commit', '-qm', 'start'],
  ])
    call('git', args)
  call(process.execPath, [program, ...'run --quiet --anyway --max-iterations 1 --test true -- sh agent.sh'.split(' ')])
  const began = performance.now()
  const made = call(process.execPath, [program, 'report', '--out', file])
  const makeMs = round(performance.now() - began, 0)
  if (made.status !== 0) throw new Error(`the report was not created: ${made.stderr}`)
  const figures = { makeMs, megabytes: round(statSync(file).size / 1e6, 2) }
  if (browser === undefined) return figures
  const opened = []
  for (let n = 0; n < OPENINGS; n++) opened.push(await open(browser, file, true))
  const of = (figure) => round(median(opened.map((each) => each[figure])), 1)
  return { ...figures, usableMs: of('usableMs'), openMs: of('openMs'), elements: of('elements') }
}

/** An iteration of ordinary length, with its own text. */
function decided(iteration, counters) {
  const claim = iteration % 3 === 0
  const passed = iteration % 97
  const evidence = (check, answer, detail, counts) => ({
    check,
    answer,
    detail,
    counts,
    ms: 1200,
    tree: `t${iteration}`,
  })
  return {
    type: 'iteration.decided',
    iteration,
    observation: {
      signals: signalsOf(iteration, claim),
      evidence: {
        tests: evidence('tests', 'no', `${100 - passed} of 100 tests fail. Failing: "reads list ${iteration}"`, {
          total: 100,
          passed,
          failed: 100 - passed,
        }),
        changed: evidence('changed', 'yes', `Changed: src/list-${iteration % 40}.ts.`, { files: 1 }),
        checklist: evidence('checklist', 'no', '3 of 9 items in PLAN.md ticked.', { total: 9, done: 3, open: 6 }),
      },
      spent: { ms: 61_000 + iteration, tokens: 18_000, usd: 0.21 },
      interrupted: false,
    },
    verdict: {
      action: 'continue',
      warnings: [],
      rule: 'continue',
      reason: 'not done yet',
      missing: [`tests: ${100 - passed} of 100 tests fail. Failing: "reads list ${iteration}"`],
      gate: { claim: claim ? 'yes' : 'unknown', proof: 'no' },
      measures: { confidence: passed },
    },
    after: { ...counters, phaseIteration: iteration, trees: [] },
  }
}

/** Opens the first file of the diff, until its first lines are drawn. */
const OPEN_FILE = `new Promise((done) => {
  const began = performance.now()
  const file = document.querySelector('.work details.file')
  file.querySelector('summary').click()
  const look = () => file.querySelector('.plus, .minus') ? done(performance.now() - began) : requestAnimationFrame(look)
  look()
})`

async function launch(executablePath) {
  const { chromium } = await import('playwright-core')
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet] })
}

/** From the start of the navigation until the page is usable, and one arrow key from there. */
async function open(browser, file, opensDiff = false) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  await page.addInitScript(`new MutationObserver((_, seen) => {
    if (!document.documentElement.dataset.ready) return
    seen.disconnect()
    requestAnimationFrame(() => { window.usable = performance.now() })
  }).observe(document, { attributes: true, subtree: true })`)
  await page.goto(pathToFileURL(file).href)
  await page.waitForFunction('window.usable !== undefined')
  const usableMs = await page.evaluate('window.usable')
  const elements = await page.evaluate('document.querySelectorAll("*").length')
  const stepMs = await page.evaluate(`new Promise((done) => {
    const row = document.querySelector('[role=option][tabindex="0"]')
    row.focus()
    const began = performance.now()
    row.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp', bubbles: true }))
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)))
  })`)
  const openMs = opensDiff ? await page.evaluate(OPEN_FILE) : undefined
  await context.close()
  return { usableMs, elements, stepMs, openMs }
}
