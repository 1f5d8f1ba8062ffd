import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, onTestFailed } from 'vitest'
import type { BacklogTask } from '../../src/backlog/types.ts'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import { submit } from '../../src/fleet/submit.ts'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { program } from '../e2e/program.ts'
import { patience } from '../timing.ts'
import { ask } from './postgres.ts'

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}, 60_000)

/** Two tests in plain shell, because the fleet is under test and not a test runner. */
const TEST = `gate="$TEST_GATES/evidence"
if [ -e "$gate" ]; then : > "$gate.reached"; while [ -e "$gate" ]; do sleep 0.05; done; fi
code=0
check() {
  line=
  [ -e "$2" ] && read -r line < "$2"
  if [ "$line" = done ]; then echo "ok $1 - $3"; else echo "not ok $1 - $3"; code=1; fi
}
echo 'TAP version 13'
echo 1..2
check 1 first.txt 'the first half is done'
check 2 second.txt 'the second half is done'
exit $code
`

/**
 * What it does depends only on the number of the iteration, so repeating one gives the same. At a closed gate it reports that, with
 * its process ID, and waits.
 */
const AGENT = `n=$EXITGATE_ITERATION
names=$(env | sed -n 's/^\\([A-Za-z_][A-Za-z_0-9]*\\)=.*/\\1/p' | grep -vxE 'PWD|OLDPWD|SHLVL|_' | sort | sed 's/.*/"&"/' | paste -sd , -)
printf '{"run":"%s","n":%s,"pid":%s,"env":[%s]}\\n' "$EXITGATE_RUN" "$n" "$$" "$names" >> "$TEST_GATES/starts"
gate="$TEST_GATES/agent.$n"
while [ -e "$gate" ]; do
  [ -e "$gate.reached" ] || { printf %s "$$" > "$gate.part.$$" && mv "$gate.part.$$" "$gate.reached"; }
  sleep 0.05
done
echo "the key is $SOME_API_KEY"
printf 'iteration %s' "$n" > notes.txt
[ "$n" = 2 ] && printf done > first.txt
[ "$n" = 3 ] && printf done > second.txt
case "$n" in
1 | 3) printf 'All done.\\n\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n' ;;
*) printf 'Working on it.\\n\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest\\n' ;;
esac
`

export const CONFIG = { commands: { test: 'sh test.sh' }, evidence: { proof: 'report', passEnv: ['TEST_GATES'] } }

const COMMIT_DATE = '2026-01-01T00:00:00Z'

export const SECRET = 'hush-hush-0123456789'

export interface RunningWorker {
  readonly child: ChildProcess
  readonly events: readonly (FleetEvent | { readonly type: 'over' })[]
  readonly stderr: () => string
  /** The first matching event, past or future. */
  until(matches: (event: FleetEvent) => boolean): Promise<FleetEvent>
  exited: Promise<number | null>
}

/** Longer than any pause of a busy machine, so that a worker keeps its runs until `declareDead`. */
export const LEASE_SECONDS = 60

/** For rows about a lease that expires by itself. The run may be lost and taken again at other times too. */
export const SHORT_LEASE_SECONDS = Math.ceil(patience(3_000) / 1000)

interface WorkerSettings {
  readonly concurrency?: number
  readonly leaseSeconds?: number
  readonly folder?: string
}

const git = (cwd: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
    cwd,
    env,
    encoding: 'utf8',
  })

let prepared: string | undefined
afterAll(() => {
  if (prepared !== undefined) rmSync(prepared, { recursive: true, force: true })
})

/** The bare repository every project starts with. The commit is always the same, so that journals can be compared. */
function preparedRepository(env: NodeJS.ProcessEnv): string {
  if (prepared !== undefined) return join(prepared, 'remote.git')
  prepared = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-fleet-repository-')))
  const seed = join(prepared, 'seed')
  mkdirSync(seed)
  writeFileSync(join(seed, 'test.sh'), TEST)
  writeFileSync(join(seed, 'exitgate.config.json'), JSON.stringify(CONFIG))
  git(seed, env, 'init', '-q', '-b', 'main')
  git(seed, env, 'add', '-A')
  git(seed, env, 'commit', '-qm', 'start', '--date', COMMIT_DATE)
  git(prepared, env, 'clone', '-q', '--bare', seed, 'remote.git')
  return join(prepared, 'remote.git')
}

/** A bare repository, a scripted agent, and workers on a database with the fleet's tables. */
export async function fleetProject(url: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-fleet-')))
  cleanups.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  const gates = join(root, 'gates')
  const bare = join(root, 'remote.git')
  for (const dir of [gates, join(root, 'home')]) mkdirSync(dir)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    EXITGATE_SANDBOX: 'off',
    LANG: 'C.UTF-8',
    TMPDIR: root,
  }
  const dated = { ...env, GIT_COMMITTER_DATE: COMMIT_DATE }
  cpSync(preparedRepository(dated), bare, { recursive: true })
  const agent = join(root, 'agent.sh')
  writeFileSync(agent, AGENT)
  writeFileSync(
    join(root, 'worker.yaml'),
    JSON.stringify({
      queues: { q: { secrets: ['SOME_API_KEY'], settings: ['TEST_GATES'], agent: 'scripted' } },
      agents: { scripted: ['sh', agent] },
    }),
  )
  const file = await program()
  const secrets = { TEST_GATES: gates, SOME_API_KEY: SECRET, OTHER_TOKEN: 'not-for-agents-0123' }

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
    env,
    git: (...args: readonly string[]) => git(bare, dated, ...args),
    task,
    submit: (tasks: readonly BacklogTask[], limits = {}) => submit(url, { tasks, limits }, { queue: 'q' }),
    closeGate: (name: string) => writeFileSync(join(gates, name), ''),
    openGate: (name: string) => rmSync(join(gates, name), { force: true }),
    gateReached: (name: string) => until(() => readdirSync(gates).includes(`${name}.reached`)),
    forgetGate: (name: string) => rmSync(join(gates, `${name}.reached`), { force: true }),
    /** Every start of an agent, whether it succeeded or not. */
    starts: (): readonly { readonly n: number; readonly pid: number; readonly env: readonly string[] }[] =>
      lines(join(gates, 'starts')).map((line) => JSON.parse(line)),
    journal: async (run: string): Promise<readonly JournalEvent[]> =>
      (await ask(url, `SELECT text FROM exitgate.lines WHERE run = '${run}' ORDER BY seq`)).map(({ text }) =>
        JSON.parse(String(text)),
      ),
    /** The iterations whose start counts, whatever was started. */
    async countedStarts(run: string): Promise<readonly number[]> {
      return (await this.journal(run)).flatMap((event) => (event.type === 'agent.started' ? [event.iteration] : []))
    },
    /**
     * Lets others take the runs of a killed or stopped worker at once. Its lease becomes zero, because a heartbeat it sent before
     * may still arrive.
     */
    async declareDead(dead: RunningWorker): Promise<void> {
      const event = await dead.until(({ type }) => type === 'worker')
      const id = 'worker' in event ? event.worker : ''
      await ask(url, `UPDATE exitgate.workers SET lease_seconds = 0 WHERE id = '${id}'; NOTIFY exitgate_fleet`)
    },
    /** A worker of the program. */
    worker({
      concurrency = 1,
      leaseSeconds = LEASE_SECONDS,
      folder = join(root, 'fleet'),
    }: WorkerSettings = {}): RunningWorker {
      const numbers = ['--concurrency', String(concurrency), '--lease', String(leaseSeconds)]
      return running(this.start([...numbers, '--folder', folder]))
    },
    /** The process of a worker; a repeated option overrides the earlier one. */
    start(
      args: readonly string[],
      { db = url, before = [] as readonly string[], more = {} as Readonly<Record<string, string>> } = {},
    ): ChildProcess {
      const own = ['fleet', 'worker', '--queue', 'q', '--json', '--config', 'worker.yaml']
      const [command = process.execPath, ...rest] = [...before, process.execPath, file, ...own]
      return spawn(command, [...rest, ...args], {
        cwd: root,
        env: { ...env, ...secrets, ...more, EXITGATE_FLEET_DB: db },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    },
  }
}

export function running(child: ChildProcess): RunningWorker {
  const events: FleetEvent[] = []
  let errors = ''
  const waiting = new Set<() => void>()
  // After its exit, lines may still be on their way.
  let isClosed = false
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve)).finally(() => {
    isClosed = true
  })
  const notifyWaiting = (): void => {
    for (const go of [...waiting]) go()
  }
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) events.push(JSON.parse(line) as FleetEvent)
      else errors += `${line}\n`
      notifyWaiting()
    })
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  exited.then(notifyWaiting)
  // No other worker saw it.
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
    await exited
  })
  return {
    child,
    events,
    stderr: () => errors,
    exited,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = events.find(fits)
          if (found === undefined && !isClosed) return
          waiting.delete(check)
          if (found !== undefined) resolve(found)
          else
            reject(
              new Error(
                `the worker is gone (${child.exitCode ?? child.signalCode}): ${errors}\n${JSON.stringify(events.slice(-5))}`,
              ),
            )
        }
        waiting.add(check)
        check()
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

/** Waits for a change made by other processes. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20)
}

/** A journal without what differs between runs: times, processes, and everything derived from them. */
export const comparableJournal = (events: readonly JournalEvent[]): unknown =>
  JSON.parse(JSON.stringify(events), (key, value) => {
    if (key === 'run' && typeof value === 'string') return undefined
    if (['at', 'ms', 'prev', 'hash', 'pid', 'id', 'since', 'startedAt', 'baselineId', 'file', 'command'].includes(key))
      return undefined
    return typeof value === 'string'
      ? value.replace(/duration_ms [\d.]+/g, '').replace(/\d+(?:\.\d+)? m?s\b/g, '')
      : value
  })
