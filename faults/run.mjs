// Runs the fault suite: every row of every module in this folder, one after the other. npm run faults -- [--only NAME] [--rounds N]
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'

const ROW_MS = 300_000

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, rounds: { type: 'string', default: '1' } },
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds is "${values.rounds}". Pass a whole number of at least 1.`)
  process.exit(64)
}

/** --only takes the name of a module, or part of the name of a row. */
const isChosen = (module, name) => values.only?.some((each) => each === module || name.includes(each)) ?? true

const folder = import.meta.dirname
const rows = []
for (const file of readdirSync(folder).filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')) {
  const module = basename(file, '.mjs')
  const { rows: found = [] } = await import(join(folder, file))
  rows.push(...found.filter(({ name }) => isChosen(module, name)).map((row) => ({ module, ...row })))
}
if (rows.length === 0) {
  console.error(`No row matches --only ${values.only?.join(', ')}. Pass the name of a module, or part of a row's name.`)
  process.exit(64)
}

const results = []
for (let round = 1; round <= rounds; round++) for (const row of rows) results.push(await runRow(row, round))

console.log(
  `\n${'module'.padEnd(12)} ${'passed'.padStart(6)} ${'failed'.padStart(6)} ${'skipped'.padStart(7)} ${'seconds'.padStart(7)}`,
)
for (const module of new Set(rows.map((row) => row.module))) {
  const of = results.filter((result) => result.module === module)
  const count = (state) => String(of.filter((result) => result.state === state).length)
  const seconds = (of.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(0)
  console.log(
    `${module.padEnd(12)} ${count('ok').padStart(6)} ${count('FAILED').padStart(6)} ${count('skipped').padStart(7)} ${seconds.padStart(7)}`,
  )
}
const failed = results.filter(({ state }) => state === 'FAILED')
for (const { module, name, detail } of failed) console.log(`\nFAILED ${module}: ${name}\n${detail}`)
process.exit(failed.length > 0 ? 1 : 0)

async function runRow({ module, name, run }, round) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-faults-')))
  const started = performance.now()
  const log = (text) => console.log(`        ${text}`)
  let state = 'FAILED'
  let detail = ''
  try {
    const result = await withTimeout(run({ dir, log }))
    state = result.skipped === undefined ? (result.ok ? 'ok' : 'FAILED') : 'skipped'
    detail = result.skipped ?? result.detail ?? ''
  } catch (error) {
    detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const ms = performance.now() - started
  const first = detail.split('\n')[0].slice(0, 160)
  const where = rounds === 1 ? '' : `round ${round}  `
  console.log(
    `${state.padEnd(7)} ${(ms / 1000).toFixed(1).padStart(5)} s  ${where}${module}: ${name}${first && `  (${first})`}`,
  )
  try {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    log(`${dir} was not removed: ${error.message}`)
  }
  return { module, name, state, detail, ms }
}

function withTimeout(work) {
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${ROW_MS / 1000} s`)), ROW_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
