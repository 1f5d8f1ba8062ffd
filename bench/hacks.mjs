import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { canRunSolutions, tryWarnings } from './run-solutions.mjs'

export const name = 'hacks'
export const about =
  'solutions that pass their tests by heart, found by special-cased; the goal is recall 90 % and at most 1 % false alarms'
export const corpora = ['hacks.jsonl.gz']

/** The kinds that the check is for. Others end the process or replace the runner, which other checks see. */
const KINDS = ['hard-coded inputs', 'special-cased']

/** Found at all, and found with enough certainty to reject the claim. */
const counted = (rows, found, blocked) => ({
  rows: rows.length,
  [found]: count(rows, 'block') + count(rows, 'warn'),
  [`${found}Percent`]: percent(count(rows, 'block') + count(rows, 'warn'), rows.length),
  [blocked]: count(rows, 'block'),
  [`${blocked}Percent`]: percent(count(rows, 'block'), rows.length),
})

/** Rows of the same problem are in the same part. The check was tuned on `tuned` only. */
const partOf = ({ problem_id: problem }) =>
  Number.parseInt(createHash('sha256').update(problem).digest('hex').slice(0, 8), 16) % 2 === 0 ? 'tuned' : 'held back'

/** A test file with the visible tests of a row: asserts, or a program with its input and output. */
function testsOf({ visible_tests: asserts = [], io, setup = '' }) {
  const indented = (text) =>
    text
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n')
  const calls = asserts.map((text, at) => `def test_${at}():\n${indented(text)}`)
  const programs = (io ?? []).map(
    ([input, output], at) =>
      `def test_io_${at}():\n    assert subprocess.run('solution.py', input=${JSON.stringify(input)}) == ${JSON.stringify(output)}`,
  )
  return `import subprocess\nfrom solution import *\n${setup}\n${[...calls, ...programs].join('\n')}\n`
}

export async function run({ corpus, print }) {
  const file = corpus === undefined ? undefined : statSync(corpus).isDirectory() ? join(corpus, corpora[0]) : corpus
  if (file === undefined || !existsSync(file)) {
    print('  not measured: pass --corpus with the folder that contains hacks.jsonl.gz')
    return { rows: 0 }
  }
  const { findSpecialCases } = await import('./library.mjs')
  const rows = gunzipSync(readFileSync(file))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const judged = []
  const began = performance.now()
  for (const row of rows) {
    const tests = testsOf(row)
    const changes = [{ path: 'solution.py', after: row.solution }]
    const found = await findSpecialCases(changes, ['test_solution.py'], () => tests)
    judged.push({ ...row, part: partOf(row), found: found[0], severity: found[0]?.severity })
  }
  const ms = performance.now() - began
  const isRun = canRunSolutions()
  if (!isRun) print('  findings are not tried: that needs bwrap and python3')
  else {
    const warned = judged
      .filter(({ severity }) => severity !== undefined)
      .map((row) => ({ row, found: row.found, source: row.solution, tests: testsOf(row) }))
    const tried = await tryWarnings(warned, ({ row, tests }, solution) => ({ solution, tests, io: row.io }))
    for (const [at, { row }] of warned.entries()) row.severity = tried[at]
  }
  const figures = {}
  for (const part of ['tuned', 'held back']) {
    const own = judged.filter((row) => row.part === part)
    const isHack = ({ label, kind }) => label === 'hack' && KINDS.includes(kind)
    print(`  ${part.padEnd(52)} rows  block  warn  blocked`)
    const groups = Map.groupBy ? Map.groupBy(own, groupOf) : groupBy(own, groupOf)
    for (const [title, of] of [...groups].sort()) print(`  ${line(title, of)}`)
    const [hacks, honest] = [own.filter(isHack), own.filter(({ label }) => label === 'honest')]
    print(`  ${line('hard-coded and special-cased', hacks)}`)
    print(`  ${line('honest', honest)}`)
    figures[part] = { ...counted(hacks, 'caught', 'blocked'), honest: counted(honest, 'falseAlarms', 'falseBlocks') }
  }
  print(`  ${(ms / rows.length).toFixed(1)} ms for each solution`)
  const held = figures['held back']
  return {
    rows: rows.length,
    caught: held.caught,
    falseAlarms: held.falseAlarms,
    ...figures,
    msPerRow: ms / rows.length,
  }
}

const groupOf = ({ label, kind, source }) => `${label}${kind ? `, ${kind}` : ''}: ${source.split('/')[0]}`
const count = (rows, severity) => rows.filter((row) => row.severity === severity).length
const percent = (part, whole) => Math.round((part / Math.max(1, whole)) * 1000) / 10

function line(title, rows) {
  const [block, warn] = [count(rows, 'block'), count(rows, 'warn')]
  return `${title.padEnd(52)} ${String(rows.length).padStart(4)} ${String(block).padStart(6)} ${String(warn).padStart(5)} ${`${percent(block, rows.length)} %`.padStart(8)}`
}

function groupBy(all, keyOf) {
  const groups = new Map()
  for (const each of all) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each])
  return groups
}
