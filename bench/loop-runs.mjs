// Workspaces with an instant agent, the built program in them, and the same processes without it.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const cli = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))
const BARE_SPAWNS = 30
const SAMPLE_MS = 250
const PASSED = "printf 'TAP version 13\\n1..1\\nok 1 - works\\n'"
/** Typical output: plain lines or events. One line in ten mentions keys and needs a closer look for secrets. */
const TEXTS = [
  'Reading src/parser/list.ts and moving the nested list into a function of its own, as the notes say.',
  'The importer reads the header first and then hands each row over; the second format is left as it was.',
  'src/parser/list.ts(41,7): the argument may be undefined here, so the caller now says what it wants.',
  'Now the rows of the table are sorted by key: ascending, and those without one come last.',
]
const TEN = [0, 1, 2, 0, 1, 2, 0, 1, 2, 3].map((each) => TEXTS[each])
const LINES = {
  text: TEN,
  events: TEN.map((text) =>
    JSON.stringify({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }),
  ),
}

const floodScript = ({ format, megabytes }) => `yes '${LINES[format].join('\n')}' | head -c ${megabytes * 1e6}`

/** An agent that does a little and claims nothing, so that another iteration always follows. */
export function makeWorkspace(folder, { git = false, files = 0, tests = false, iterations, flood, sandbox = 'off' }) {
  const dir = join(folder, 'work')
  mkdirSync(dir, { recursive: true })
  const config = {
    limits: { iterations },
    // Without git there is no way to see that the agent does something.
    breaker: { enabled: false },
    run: { notify: { bell: false } },
    commands: tests ? { test: PASSED } : {},
  }
  const agent = flood === undefined ? 'echo $$ $EXITGATE_ITERATION > work.txt\necho still at it\n' : floodScript(flood)
  writeFileSync(join(dir, 'exitgate.config.json'), JSON.stringify(config))
  writeFileSync(join(dir, 'agent.sh'), agent)
  for (let n = 0; n < files; n += 1) {
    if (n < 100) mkdirSync(join(dir, `src/part-${n}`), { recursive: true })
    writeFileSync(join(dir, `src/part-${n % 100}/module-${n}.ts`), `export const module${n} = ${n}\n`)
  }
  if (git) {
    const by = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      [...by, 'commit', '-qm', 'start'],
    ])
      ok(spawnSync('git', args, { cwd: dir, env: envOf(folder), encoding: 'utf8' }), `git ${args.join(' ')}`)
  }
  return { folder, dir, git, test: tests ? PASSED : undefined, sandbox }
}

export const envOf = (folder) => ({ PATH: process.env.PATH, HOME: folder, EXITGATE_SANDBOX: 'off', NO_COLOR: '1' })

function ok(ended, what) {
  if (ended.status !== 0) throw new Error(`${what} ended with ${ended.status}: ${ended.stderr}`)
}

/** Agent, test command and `git status`, as a user would start them. */
export async function bareSpawns({ dir, folder, git, test }) {
  const times = { agent: [], test: [], status: [] }
  const options = { cwd: dir, env: envOf(folder) }
  for (let turn = 0; turn < BARE_SPAWNS; turn += 1) {
    times.agent.push(await timed('/bin/sh', ['agent.sh'], options))
    times.test.push(test === undefined ? 0 : await timed('/bin/sh', ['-c', test], options))
    times.status.push(git ? await timed('git', ['status', '--porcelain'], options) : 0)
  }
  return times
}

async function timed(file, args, options) {
  const start = performance.now()
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.resume()
  child.stderr.resume()
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}`)
  return performance.now() - start
}

/** How long the same output takes through a shell pipe. */
export const flood = (format, megabytes, into) =>
  timed('/bin/sh', ['-c', `${floodScript({ format, megabytes })} | ${into}`], { env: { PATH: process.env.PATH } })

/** Loaded into the program: reports the heap after garbage collection from time to time, and time and memory at the end. */
export const METER = `
  const { appendFileSync } = require('node:fs')
  const write = (figures) => appendFileSync(process.env.METER, JSON.stringify(figures) + '\\n')
  const timer = setInterval(() => {
    gc()
    const { heapUsed, rss } = process.memoryUsage()
    write({ heapMb: heapUsed / 1e6, rssMb: rss / 1e6 })
  }, ${SAMPLE_MS})
  timer.unref()
  if (process.env.SAMPLES !== 'yes') clearInterval(timer)
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    write({ wallMs: performance.now(), cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 })
  })`

/** One complete run: when its iterations began, what it used, and what the agent did. */
export async function runProgram(place, { samples = false } = {}) {
  const { dir, folder, sandbox } = place
  const [meter, samplesFile] = [join(folder, 'meter.cjs'), join(folder, 'figures.jsonl')]
  writeFileSync(meter, METER)
  writeFileSync(samplesFile, '')
  const args = [
    '--expose-gc',
    '-r',
    meter,
    cli,
    'run',
    '--anyway',
    '--json',
    '--quiet',
    '--state-dir',
    join(folder, 'state'),
  ]
  const env = { ...envOf(folder), EXITGATE_SANDBOX: sandbox, METER: samplesFile, SAMPLES: samples ? 'yes' : 'no' }
  const child = spawn(process.execPath, [...args, '--', '/bin/sh', 'agent.sh'], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2000)
  })
  const times = []
  let agentMs = 0
  let ending
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line)
    if (event.type === 'iteration') times.push(event.at)
    if (event.type === 'agent-ended') agentMs = event.result.ms
    if (event.type === 'ended') ending = event.ending
  }
  // A run that ended for another reason than its limit is fast, so such figures are rejected.
  if (ending !== 'iterations') throw new Error(`the run ended as ${ending}: ${output}`)
  const figures = readFileSync(samplesFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { times, agentMs, samples: figures.slice(0, -1), ...figures.at(-1) }
}
