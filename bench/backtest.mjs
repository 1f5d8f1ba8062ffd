// `replay` and `backtest` on every decision of a long journal, compared with JSON.parse of the same lines.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { round } from './median.mjs'

export const name = 'backtest'
export const about = 'replay and backtest of 100,000 decided iterations, compared with JSON.parse; also memory'

const ITERATIONS = 100_000
const MAX_ITERATIONS_PER_RUN = 40
const GOAL_SECONDS = 10
const PRESETS = ['default', 'cub', 'ralph', 'default']
const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

export async function run({ print, library = new URL('./library.mjs', import.meta.url).href } = {}) {
  const api = await import(library)
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-bench-backtest-')))
  try {
    const work = join(root, 'work')
    mkdirSync(work)
    const state = join(root, 'state')
    const { dir } = api.stateDirFor(work, { stateDir: state, env: {}, platform: process.platform, home: root })
    const runs = write(api, dir)
    const megabytes = round(statSync(join(dir, 'journal.jsonl')).size / 1e6, 1)
    print(`  ${ITERATIONS} iterations in ${runs} runs, ${megabytes} MB`)
    const parse = inChild(PARSE, dir)
    const rows = {
      'JSON.parse': parse,
      read: inChild(read(library, 'for (const _ of events);'), dir),
      replay: inChild(read(library, 'for (const _ of api.replay(events, api.policyFor));'), dir),
      backtest: inChild(read(library, `for (const _ of api.backtest(events, ${OTHER}, api.policyFor));`), dir),
      'exitgate replay': command(root, work, ['replay', '--json']),
      'exitgate backtest': command(root, work, ['backtest', '--json', '--set', 'hollowClaims=2']),
    }
    print('                       seconds  CPU seconds  per iteration  ratio   peak memory')
    for (const [what, { ms, cpu, rss }] of Object.entries(rows)) {
      const times = [(ms / 1000).toFixed(2).padStart(10), (cpu / 1000).toFixed(2).padStart(13)]
      const each = `${round((cpu * 1000) / ITERATIONS, 1)} us`.padStart(14)
      const ratio = (cpu / parse.cpu).toFixed(2).padStart(8)
      print(`  ${what.padEnd(18)}${times.join('')}${each}${ratio}${`${round(rss, 0)} MB`.padStart(14)}`)
    }
    const slowest = Math.max(rows['exitgate replay'].cpu, rows['exitgate backtest'].cpu) / 1000
    const met = slowest < GOAL_SECONDS
    print(
      `  goal: ${ITERATIONS} iterations in under ${GOAL_SECONDS} s of CPU time: ${met ? 'met' : 'NOT MET'} (${round(slowest, 2)} s)`,
    )
    return { iterations: ITERATIONS, runs, megabytes, rows, goal: met }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const OTHER = '{ name: "", config: (config) => ({ ...config, hollowClaims: 2 }) }'

const PARSE = `
  const { createReadStream } = await import('node:fs')
  const { createInterface } = await import('node:readline')
  const { join } = await import('node:path')
  const [began, used] = [performance.now(), process.cpuUsage()]
  let n = 0
  for await (const line of createInterface({ input: createReadStream(join(dir, 'journal.jsonl')) })) n += JSON.parse(line).seq > 0 ? 1 : 0`

const read = (library, work) => `
  const api = await import(${JSON.stringify(library)})
  const [began, used] = [performance.now(), process.cpuUsage()]
  const events = api.readEvents(dir)
  ${work}`

/** Runs in a separate process; start-up is not counted. */
function inChild(work, dir) {
  const script = `const dir = ${JSON.stringify(dir)}
  ${work}
  const ms = performance.now() - began
  const { user, system } = process.cpuUsage(used)
  console.log(JSON.stringify({ ms, cpu: (user + system) / 1000, rss: process.resourceUsage().maxRSS / 1024 }))`
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', env: {} })
  if (child.status !== 0) throw new Error(`reading the journal failed: ${child.stderr}`)
  return JSON.parse(child.stdout)
}

/** Runs the program itself, from start to end; it prints its resource usage at the end. */
function command(root, work, args) {
  const used = join(root, 'used.json')
  const reportUsage = join(root, 'report-usage.cjs')
  writeFileSync(
    reportUsage,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(used)}, JSON.stringify(process.resourceUsage())))`,
  )
  const env = { PATH: process.env.PATH, HOME: root, EXITGATE_STATE_DIR: join(root, 'state') }
  const options = { cwd: work, env, encoding: 'utf8', maxBuffer: 1 << 30 }
  const began = performance.now()
  const child = spawnSync(process.execPath, ['--require', reportUsage, program, ...args], options)
  const ms = performance.now() - began
  if (child.status !== 0) throw new Error(`exitgate ${args.join(' ')} exited with ${child.status}: ${child.stderr}`)
  const usage = JSON.parse(child.stdout)
  const decisions = usage.decisions ?? usage.summary.iterations
  if (decisions !== ITERATIONS) throw new Error(`exitgate ${args[0]} read ${decisions} of ${ITERATIONS} iterations`)
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(used, 'utf8'))
  return { ms, cpu: (userCPUTime + systemCPUTime) / 1000, rss: maxRSS / 1024 }
}

/**
 * Runs as loops write them: real messages through the real parser, real steps, and an end after a maximum number of iterations. A
 * whole run is appended at once, because every append waits for the disk.
 */
function write(api, dir) {
  const journal = api.openJournal(dir)
  let written = 0
  let runs = 0
  for (; written < ITERATIONS; runs++) {
    const at = Date.UTC(2026, 0, 5) + runs * 3_600_000
    const preset = PRESETS[runs % PRESETS.length]
    const config = api.configure({
      preset,
      breaker: { enabled: false },
      limits: { iterations: MAX_ITERATIONS_PER_RUN },
    })
    const policy = api.policyFor(config)
    const inputs = [{ type: 'run.started', run: `run-${runs}`, config }]
    let state = fold(api, journal.state, inputs, at)
    for (let n = 1; state.ended === undefined && written < ITERATIONS; n++) {
      const seen = observed(api, policy, runs, n)
      const decided = api.decideIteration(api.beforeOf(state), seen, policy, at)
      const more = [{ type: 'iteration.started', iteration: n, attempt: 1 }, ...api.eventInputsOf(seen, decided)]
      state = fold(api, state, more, at)
      inputs.push(...more)
      written += 1
    }
    journal.append(inputs, at)
  }
  journal.close()
  return runs
}

const fold = (api, state, happenings, at) =>
  happenings.reduce(
    (state, each, i) => api.reduce(state, { v: 1, seq: state.seq + 1 + i, at, prev: '', ...each }),
    state,
  )

const MESSAGES = [
  'I read the parser and its tests first. The empty form is not handled yet; I will take that up next.\n'.repeat(6),
  'The parser reads the new form now, and I extended its tests. Two of them still fail on nested lists.\n'.repeat(6),
  'Most of it is in place. All that is left is the error message for a missing bracket.\n\nEXIT_STATUS: CONTINUE\nREMAINING_WORK: one message\n',
  'All tasks completed, ready for review.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n',
]
const signals = new Map()

function observed(api, policy, runs, n) {
  const message = n % 7 === 0 ? MESSAGES[3] : MESSAGES[(runs + n) % 3]
  if (!signals.has(message)) {
    const reader = api.openReader('text')
    reader.write(Buffer.from(message))
    signals.set(message, api.read(reader.end(), policy.reading))
  }
  const tree = ((runs * 1000 + n) * 7919).toString(16).padStart(40, '0')
  const failed = n >= MAX_ITERATIONS_PER_RUN - (runs % 9) ? 0 : 1 + (n % 5)
  const given = {
    tests: {
      answer: failed === 0 ? 'yes' : 'no',
      detail: failed === 0 ? '120 passed' : `${failed} of 120 tests fail`,
      counts: { total: 120, passed: 120 - failed, failed, skipped: 0 },
    },
    changed: { answer: 'yes', detail: '4 files', counts: { files: 4 } },
    tampering: { answer: 'yes', detail: 'nothing was found', counts: { findings: 0 } },
  }
  const { evidence } = api.readGiven(given, tree)
  return api.observation(signals.get(message), evidence, { spent: { ms: 61_000, tokens: 18_000, usd: 0.21 } })
}
