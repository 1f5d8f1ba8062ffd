import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openCorpus } from './corpus.mjs'

export const name = 'test-output'
export const about =
  'parsing output and reports of test runners: wrong verdicts, above all a wrong `ok`; unknown is acceptable'

export const corpora = ['test-outputs']

const goldens = fileURLToPath(new URL('../tests/golden/test-output/', import.meta.url))
const COUNTS = ['passed', 'failed', 'skipped', 'total']

/** Rows: framework, kind, text, and expect with ok, zero_tests and the known counts. */
const isOutput = (row) => typeof row.text === 'string' && typeof row.expect === 'object'

/** The project's own golden files as a corpus. */
function readGoldens() {
  // Files called `words` contain text written by people, not runner output.
  const isCase = (file) => /\.\w+$/.test(file) && !file.endsWith('.expect.json') && !file.startsWith('words-')
  const names = readdirSync(goldens).filter(isCase)
  return names.flatMap((file) => {
    const expect = JSON.parse(readFileSync(`${goldens}${file.replace(/\.\w+$/, '.expect.json')}`, 'utf8'))
    const kind = file.endsWith('.txt') ? 'console' : `report file (${file})`
    const text = readFileSync(`${goldens}${file}`, 'utf8')
    return expect === null ? [] : [{ id: file, framework: file.split('-')[0], kind, text, expect }]
  })
}

/** A pass without a test is wrong, whatever the row says about the exit code. */
const isRight = (ok, { ok: wanted, zero_tests: empty = false }) => ok === wanted && !(ok === true && empty)

function judge(run, expect) {
  const ok = run?.ok ?? null
  const verdict = isRight(ok, expect) ? 'right' : ok === null ? 'unknown' : 'wrong'
  const known = COUNTS.filter((count) => typeof expect[count] === 'number')
  const wrongOk = ok === true && verdict === 'wrong'
  const exact = known.length > 0 && run !== undefined && known.every((count) => run[count] === expect[count])
  return { verdict, wrongOk, counted: known.length > 0, exact }
}

const empty = () => ({ rows: 0, right: 0, unknown: 0, wrong: 0, wrongOk: 0, counted: 0, countsExact: 0 })

function add(sum, { verdict, wrongOk, counted, exact }) {
  sum.rows += 1
  sum[verdict] += 1
  sum.wrongOk += wrongOk ? 1 : 0
  sum.counted += counted ? 1 : 0
  sum.countsExact += exact ? 1 : 0
}

export async function run({ corpus, print }) {
  const { readAnyOutput, readTestReport } = await import('./library.mjs')
  const { rows: given, absent } = openCorpus(corpus, corpora[0], isOutput)
  const rows = given ?? readGoldens()
  if (absent !== undefined) print(`  ${corpora[0]}: ${absent}. Using the project's own golden files.`)
  const [all, frameworks, mistakes, unsure] = [empty(), {}, [], []]
  let bytes = 0
  const started = performance.now()
  for (const { id, framework, kind = 'console', text, expect } of rows) {
    const report = kind.startsWith('report')
    const judged = judge(await (report ? readTestReport(kind, text) : readAnyOutput(text)), expect)
    bytes += text.length
    frameworks[framework] ??= empty()
    add(all, judged)
    add(frameworks[framework], judged)
    if (judged.verdict === 'wrong') mistakes.push(id)
    else if (judged.verdict === 'unknown') unsure.push(id)
  }
  const ms = performance.now() - started
  const line = (title, sum) =>
    `  ${title.padEnd(18)}${[sum.rows, sum.right, sum.unknown, sum.wrong, sum.wrongOk].map((cell) => String(cell).padStart(9)).join('')}${`${sum.countsExact}/${sum.counted}`.padStart(13)}`
  print(
    `  ${'framework'.padEnd(18)}${['rows', 'right', 'unknown', 'wrong', 'wrongOk'].map((head) => head.padStart(9)).join('')}${'counts exact'.padStart(13)}`,
  )
  for (const [title, sum] of Object.entries(frameworks)) print(line(title, sum))
  print(line('all', all))
  if (mistakes.length > 0) print(`  wrong: ${mistakes.join(', ')}`)
  if (unsure.length > 0) print(`  unknown: ${unsure.join(', ')}`)
  const megabytesPerSecond = Math.round((bytes / 1e6 / (ms / 1000)) * 10) / 10
  print(`  ${rows.length} texts in ${Math.round(ms)} ms, ${megabytesPerSecond} MB/s`)
  return {
    ...all,
    mistakes,
    unsure,
    megabytesPerSecond,
    frameworks,
    corpus: given === undefined ? 'goldens' : 'given',
  }
}
