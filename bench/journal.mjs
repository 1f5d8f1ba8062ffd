// Every figure for opening a journal is the median of separate processes; start-up of the library is not counted.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { writeLongRun } from './long-run.mjs'
import { median, round } from './median.mjs'

export const name = 'journal'
export const about =
  'reading 100,000 events with and without a snapshot, memory, cost of a durable append, and commands on one long run'

const EVENTS = 100_000
const BATCH = 20
const APPENDS = 500
const OPENINGS = 3

export async function run({ print, brief, library = new URL('./library.mjs', import.meta.url).href } = {}) {
  const { openJournal } = await import(library)
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-bench-journal-'))
  try {
    const journal = openJournal(dir, { snapshotEvery: 1000 })
    write(journal, EVENTS - APPENDS)
    const appendMs = timeAppends(journal, APPENDS)
    journal.close()
    const empty = opening(library, join(dir, 'empty'))
    const warm = opening(library, dir)
    rmSync(join(dir, 'state.json'))
    const cold = opening(library, dir)
    const figures = {
      events: warm.events,
      megabytes: round(statSync(join(dir, 'journal.jsonl')).size / 1e6, 2),
      snapshotMs: round(warm.ms, 2),
      noSnapshotMs: round(cold.ms, 2),
      emptyRssMb: round(empty.rss, 2),
      snapshotRssMb: round(warm.rss, 2),
      noSnapshotRssMb: round(cold.rss, 2),
      appendMedianMs: round(quantile(appendMs, 0.5), 2),
      appendP99Ms: round(quantile(appendMs, 0.99), 2),
    }
    for (const [figure, value] of Object.entries(figures)) print(`  ${figure.padEnd(16)}${String(value).padStart(10)}`)
    return { ...figures, long: await longRuns(library, dir, brief ? LONG.slice(0, 1) : LONG, print) }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** CPU time of commands on one long run, including the start of Node, compared with JSON.parse of the same lines. */
async function longRuns(library, root, runs, print) {
  const api = await import(library)
  const figures = {}
  for (const [iterations, commands] of runs) {
    const { work, stateDir, dir } = writeLongRun(api, root, iterations)
    const parse = cpuOf(['-e', PARSE, join(dir, 'journal.jsonl')], work)
    print(`  one run of ${iterations} iterations: JSON.parse ${round(parse.ms, 0)} ms`)
    for (const args of commands) {
      const { ms, rss } = cpuOf([program, ...args, '--state-dir', stateDir], work)
      const row = { ms: round(ms, 0), ratio: round(ms / parse.ms, 2), megabytes: round(rss, 0) }
      figures[`${args.join(' ')} ${iterations}`] = row
      print(`  ${args[0].padEnd(16)}${JSON.stringify(row)}`)
    }
  }
  return figures
}

/** When all benches run, `backtest` is the one that replays 100,000 iterations. */
const LONG = [
  [10_000, [['state'], ['explain'], ['report', '--out', 'report.html'], ['replay'], ['history', '--stats']]],
  [100_000, [['replay']]],
]
const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))
const PARSE = `
  let n = 0
  for (const line of require('fs').readFileSync(process.argv[1], 'utf8').split('\\n')) if (line) n += JSON.parse(line).seq`

function cpuOf(args, cwd) {
  const env = { PATH: process.env.PATH, HOME: cwd, NODE_OPTIONS: `--import=${REPORT_USAGE}` }
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8', maxBuffer: 1e9 })
  const usage = /^usage (\d+) (\d+)$/m.exec(stderr)
  if (status !== 0 || usage === null) throw new Error(`${args.slice(1).join(' ')} ended with ${status}: ${stderr}`)
  return { ms: Number(usage[1]) / 1000, rss: Number(usage[2]) / 1024 }
}

/** Loaded into each program: prints the resource usage of the process at its end. */
const REPORT_USAGE = `data:text/javascript,${encodeURIComponent(`
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    process._rawDebug('usage ' + (userCPUTime + systemCPUTime) + ' ' + maxRSS)
  })`)}`

function opening(library, dir) {
  const opened = Array.from({ length: OPENINGS }, () => openOnce(library, dir))
  const of = (figure) => median(opened.map((each) => each[figure]))
  return { events: of('events'), ms: of('ms'), rss: of('rss') }
}

function openOnce(library, dir) {
  const script = `
    const { readJournal } = await import(${JSON.stringify(library)})
    const began = performance.now()
    const { state } = readJournal(${JSON.stringify(dir)})
    const ms = performance.now() - began
    console.log(JSON.stringify({ ms, events: state.seq, rss: process.resourceUsage().maxRSS / 1024 }))`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env: {} })
  if (child.status !== 0) throw new Error(`opening the journal failed: ${child.stderr}`)
  return JSON.parse(child.stdout)
}

function write(journal, events) {
  journal.append(
    [{ type: 'run.started', run: 'bench', config: { preset: 'default', breaker: { autoReset: false } } }],
    1,
  )
  for (let iteration = 1; journal.state.seq < events; ) {
    const batched = []
    while (batched.length < Math.min(BATCH, events - journal.state.seq)) {
      batched.push({ type: 'iteration.started', iteration }, decided(iteration))
      iteration++
    }
    journal.append(batched, iteration * 1000)
  }
}

function timeAppends(journal, count) {
  const times = []
  for (let i = 0; i < count; i++) {
    const input = decided(journal.state.iterations + 1)
    const began = performance.now()
    journal.append([input], i)
    times.push(performance.now() - began)
  }
  return times.sort((a, b) => a - b)
}

// An iteration as a run with the default preset records it, with a message of ordinary length.
function decided(iteration) {
  const tree = (n) => n.toString(16).padStart(40, '0')
  const trees = Array.from({ length: Math.min(12, iteration) }, (_, i) => tree(iteration - i)).reverse()
  const evidence = (check, answer, counts) => ({
    check,
    answer,
    detail: `${check} answered ${answer} in iteration ${iteration}`,
    ...(counts && { counts }),
    ms: 1200,
    tree: tree(iteration),
  })
  return {
    type: 'iteration.decided',
    iteration,
    observation: {
      signals: {
        claim: iteration % 3 === 0,
        claims: { exit: iteration % 3 === 0 },
        vetoes: [],
        said: { EXIT_STATUS: iteration % 3 === 0 ? 'COMPLETE' : 'CONTINUE', REMAINING_WORK: 'none' },
        blocks: ['exit'],
        phrases: ['done'],
        text: 'The parser reads the new form and its tests were extended. '.repeat(10),
        length: 48_000,
        denials: [],
        source: 'exit',
        problems: [],
      },
      evidence: {
        tests: evidence('tests', 'no', { total: 120, passed: 119, failed: 1, skipped: 0 }),
        git: evidence('git', 'yes', { files: 4, insertions: 120, deletions: 14 }),
        tampering: evidence('tampering', 'yes', { findings: 0 }),
      },
      spent: { ms: 61_000, tokens: 18_000, usd: 0.21 },
      interrupted: false,
    },
    verdict: {
      action: 'continue',
      warnings: [],
      rule: 'continue',
      reason: 'one of 120 tests fails',
      missing: ['1 of 120 tests fails: reads a nested list'],
      gate: { claim: iteration % 3 === 0 ? 'yes' : 'no', proof: 'no' },
      measures: { confidence: 42 },
    },
    after: {
      phaseIteration: iteration,
      streaks: { hollowClaims: { n: 1 }, sameTask: { n: 2, key: 'parser' } },
      breaker: {
        state: 'closed',
        noProgress: 1,
        sameError: 0,
        gateBlocked: 3,
        failures: 0,
        denials: 0,
        loops: iteration,
        sizes: [48_000, 47_000, 51_000, 48_000, 46_000],
        opens: 0,
      },
      total: { ms: 61_000 * iteration, tokens: 18_000 * iteration, usd: 0.21 * iteration },
      trees,
    },
  }
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
