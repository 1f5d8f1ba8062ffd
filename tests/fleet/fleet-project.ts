import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, onTestFailed } from 'vitest'
import type { BacklogTask } from '../../src/backlog/types.ts'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { migrate } from '../../src/fleet/database/migrate.ts'
import { submit } from '../../src/fleet/submit.ts'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { root as project } from '../source-tree.ts'
import { ask } from './postgres.ts'
import type { WorkerSettings } from './worker-main.ts'

let built: Promise<string> | undefined
const cleanups: (() => Promise<void> | void)[] = []
const caches: string[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}, 60_000)
afterAll(() => {
  for (const dir of caches.splice(0)) rmSync(dir, { recursive: true, force: true })
})

/** The worker of the tests as a program of its own; inside the project, because libraries are found from there. */
function workerProgram(): Promise<string> {
  built ??= (async () => {
    const cache = join(project, 'node_modules', '.cache')
    mkdirSync(cache, { recursive: true })
    const dir = mkdtempSync(join(cache, 'exitgate-worker-'))
    caches.push(dir)
    const bundle = await rolldown({
      input: join(project, 'tests/fleet/worker-main.ts'),
      platform: 'node',
      external: (id) => id.startsWith('node:') || (!id.startsWith('.') && !id.startsWith('/')),
    })
    await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
    await bundle.close()
    return join(dir, 'worker-main.mjs')
  })()
  return built
}

const TEST = `import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
const read = (file) => { try { return readFileSync(new URL(file, import.meta.url), 'utf8').trim() } catch { return '' } }
const gate = process.env.TEST_GATES + '/evidence'
if (existsSync(gate)) { writeFileSync(gate + '.reached', ''); while (existsSync(gate)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20) }
test('the first half is done', () => assert.equal(read('./first.txt'), 'done'))
test('the second half is done', () => assert.equal(read('./second.txt'), 'done'))
`

/** Works by the number of its iteration alone: doing one twice gives the same. Where a gate is shut, it says so and waits. */
const AGENT = `import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
const n = Number(process.env.EXITGATE_ITERATION)
const gates = process.env.TEST_GATES
appendFileSync(gates + '/starts', JSON.stringify({ run: process.env.EXITGATE_RUN, n, pid: process.pid, env: Object.keys(process.env).sort() }) + '\\n')
const gate = gates + '/agent.' + n
while (existsSync(gate)) { writeFileSync(gate + '.reached', String(process.pid)); await new Promise((go) => setTimeout(go, 20)) }
console.log('the key is ' + process.env.SOME_API_KEY)
writeFileSync('notes.txt', 'iteration ' + n)
if (n === 2) writeFileSync('first.txt', 'done')
if (n === 3) writeFileSync('second.txt', 'done')
if (n === 1 || n === 3) console.log('All done.\\n\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none')
else console.log('Working on it.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest')
`

const BEGINNING = '2026-01-01T00:00:00Z'

export const SECRET = 'hush-hush-0123456789'

export interface RunningWorker {
  readonly child: ChildProcess
  readonly events: readonly (FleetEvent | { readonly type: 'over' })[]
  readonly stderr: () => string
  /** The first event that fits, whether it was there already or is still to come. */
  until(fits: (event: FleetEvent) => boolean): Promise<FleetEvent>
  gone: Promise<number | null>
}

/** A bare repository, a scripted agent, and a database with the fleet's tables. */
export async function fleetProject(url: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-fleet-')))
  cleanups.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
  const gates = join(root, 'gates')
  const bare = join(root, 'remote.git')
  const seed = join(root, 'seed')
  for (const dir of [gates, seed, join(root, 'home')]) mkdirSync(dir)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    LANG: 'C.UTF-8',
    TMPDIR: root,
    GIT_COMMITTER_DATE: BEGINNING,
  }
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
      cwd,
      env,
      encoding: 'utf8',
    })
  writeFileSync(join(seed, 'package.json'), JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }))
  writeFileSync(join(seed, 'halves.test.js'), TEST)
  writeFileSync(
    join(seed, 'exitgate.config.json'),
    JSON.stringify({ evidence: { redProof: false, passEnv: ['TEST_GATES'] } }),
  )
  git(seed, 'init', '-q', '-b', 'main')
  git(seed, 'add', '-A')
  // The same commit in every project, so that their stories can be compared.
  git(seed, 'commit', '-qm', 'start', '--date', BEGINNING)
  git(root, 'clone', '-q', '--bare', seed, bare)
  const agent = join(root, 'agent.mjs')
  writeFileSync(agent, AGENT)
  await migrate(url)
  const file = [
    'queues:',
    '  q:',
    '    secrets: [SOME_API_KEY]',
    '    settings: [TEST_GATES]',
    'agents:',
    `  scripted: [${JSON.stringify(process.execPath)}, ${JSON.stringify(agent)}]`,
  ].join('\n')
  let workers = 0

  const task = (id: string, more: Partial<BacklogTask> = {}): BacklogTask => ({
    id,
    prompt: 'Make the tests pass.',
    title: `the task ${id}`,
    after: [],
    priority: 0,
    limits: {},
    repository: bare,
    agent: 'scripted',
    ...more,
  })

  return {
    root,
    bare,
    gates,
    agent,
    git: (...args: readonly string[]) => git(bare, ...args),
    task,
    submit: (tasks: readonly BacklogTask[], limits = {}) => submit(url, { tasks, limits }, { queue: 'q' }),
    shut: (name: string) => writeFileSync(join(gates, name), ''),
    open: (name: string) => rmSync(join(gates, name), { force: true }),
    reached: (name: string) => until(() => readdirSync(gates).includes(`${name}.reached`)),
    forget: (name: string) => rmSync(join(gates, `${name}.reached`), { force: true }),
    /** Every start of an agent, whether anything came of it or not. */
    starts: (): readonly { readonly n: number; readonly pid: number; readonly env: readonly string[] }[] =>
      lines(join(gates, 'starts')).map((line) => JSON.parse(line)),
    journal: async (run: string): Promise<readonly JournalEvent[]> =>
      (await ask(url, `SELECT text FROM exitgate.lines WHERE run = '${run}' ORDER BY seq`)).map(({ text }) =>
        JSON.parse(String(text)),
      ),
    async worker(more: Partial<WorkerSettings> = {}): Promise<RunningWorker> {
      const settings: WorkerSettings = {
        url,
        queue: 'q',
        concurrency: 1,
        leaseSeconds: 30,
        folder: join(root, 'fleet'),
        file,
        ...more,
      }
      const path = join(root, `worker-${++workers}.json`)
      writeFileSync(path, JSON.stringify(settings))
      const child = spawn(process.execPath, [await workerProgram(), path], {
        cwd: root,
        env: { ...env, TEST_GATES: gates, SOME_API_KEY: SECRET, OTHER_TOKEN: 'not-for-agents-0123' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return running(child)
    },
  }
}

export function running(child: ChildProcess): RunningWorker {
  const events: FleetEvent[] = []
  let errors = ''
  const waiting = new Set<() => void>()
  const gone = new Promise<number | null>((resolve) => child.once('close', resolve))
  const heard = (): void => {
    for (const go of [...waiting]) go()
  }
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) events.push(JSON.parse(line) as FleetEvent)
      else errors += `${line}\n`
      heard()
    })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  gone.then(heard)
  // Nobody else saw it.
  onTestFailed(() =>
    console.error(
      `worker ${child.pid}:\n${errors}\n${events
        .slice(-12)
        .map((each) => JSON.stringify(each).slice(0, 600))
        .join('\n')}`,
    ),
  )
  cleanups.push(async () => {
    child.kill('SIGCONT')
    child.kill('SIGKILL')
    await gone
  })
  return {
    child,
    events,
    stderr: () => errors,
    gone,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = events.find(fits)
          if (found === undefined && child.exitCode === null && child.signalCode === null) return
          waiting.delete(look)
          if (found !== undefined) resolve(found)
          else
            reject(
              new Error(
                `the worker is gone (${child.exitCode ?? child.signalCode}): ${errors}\n${JSON.stringify(events.slice(-5))}`,
              ),
            )
        }
        waiting.add(look)
        look()
      }),
  }
}

const lines = (path: string): readonly string[] => {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

/** Waits for something that other processes bring about. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

/** A journal without what no two runs have in common: times, processes, and what hangs on them. */
export const story = (events: readonly JournalEvent[]): unknown =>
  JSON.parse(JSON.stringify(events), (key, value) => {
    if (key === 'run' && typeof value === 'string') return undefined
    if (['at', 'ms', 'prev', 'hash', 'pid', 'id', 'since', 'startedAt', 'baselineId', 'file', 'command'].includes(key))
      return undefined
    return typeof value === 'string'
      ? value.replace(/duration_ms [\d.]+/g, '').replace(/\d+(?:\.\d+)? m?s\b/g, '')
      : value
  })
