import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

/** A test command that passes once the file `fixed` exists; it prints what jest would. */
const CHECK = `if [ -e fixed ]; then
  printf 'PASS ./a.test.js\\n  \\342\\234\\223 adds (1 ms)\\n\\nTests:       1 passed, 1 total\\n'
else
  printf 'FAIL ./a.test.js\\n  \\342\\234\\225 adds (1 ms)\\n\\nTests:       1 failed, 1 total\\n'
  exit 1
fi
`
/** For calls that fail on purpose, so that nothing ends their run. */
export const ENDLESS = JSON.stringify({
  commands: { test: 'sh check.sh' },
  ...{ breaker: { enabled: false }, oscillation: 1_000_000, limits: { iterations: 1_000_000 } },
})
export const CLAIM = 'Done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n'
/** What a hook answers to a claim that does not hold. */
export const REFUSED = "You can't stop yet"
export const MORE = 'Working.\n\nEXIT_STATUS: CONTINUE\nREMAINING_WORK: the rest\n'

/** A small repository with one failing test, its own home, state and temporary folder, below `root`. */
export function makeProject(root, files = {}) {
  const dir = join(root, 'work')
  const [temp, state] = [join(root, 'tmp'), join(root, 'state')]
  for (const folder of [dir, temp]) mkdirSync(folder, { recursive: true })
  const all = {
    'check.sh': CHECK,
    'exitgate.config.json': '{"commands": {"test": "sh check.sh"}}\n',
    'PROMPT.md': 'Make the test pass.\n',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    EXITGATE_SANDBOX: 'off',
    TMPDIR: temp,
    EXITGATE_STATE_DIR: state,
    LANG: 'C.UTF-8',
  }
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: dir,
      env,
      encoding: 'utf8',
    })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'start')

  /** Starts the program; `done` resolves with its end and its output. */
  function start(args, { input, cwd = dir } = {}) {
    const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (bytes) => (stdout += bytes))
    child.stderr.on('data', (bytes) => (stderr += bytes))
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
    const done = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
    })
    return { child, done }
  }

  /** The folder of the journal; its name starts with that of the workspace. */
  const journalDir = () =>
    join(state, existsSync(state) ? (readdirSync(state).find((name) => name.startsWith('work-')) ?? '') : '')
  return {
    ...{ root, dir, env, git, start, journalDir },
    run: (args, how) => start(args, how).done,
    events: (folder = journalDir()) => eventsIn(folder),
    /** The journals of hook sessions. */
    sessions: () => {
      const folder = join(journalDir(), 'sessions')
      return existsSync(folder) ? readdirSync(folder).map((name) => eventsIn(join(folder, name))) : []
    },
    /** Approves the commands for hooks, with the one-time code that the first call writes. */
    async trust() {
      await start(['trust']).done
      const code = readFileSync(join(journalDir(), 'one-time-code'), 'utf8').split('\n', 1)[0]
      const { code: exit, stderr } = await start(['trust', '--code', code]).done
      if (exit !== 0) throw new Error(`exitgate trust: exit code ${exit}: ${stderr}`)
    },
    status: () => JSON.parse(readFileSync(join(dir, '.exitgate', 'status.json'), 'utf8')),
    write: (name, text) => writeFileSync(join(dir, name), text),
    agent(text) {
      const path = join(root, 'agent.mjs')
      writeFileSync(path, text)
      return [process.execPath, path]
    },
  }
}

function eventsIn(folder) {
  const file = join(folder, 'journal.jsonl')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The end of a turn as Claude Code reports it, in a new session. */
export const stopOf = (dir, session, message) =>
  JSON.stringify({
    ...{ session_id: session, prompt_id: `p-${session}`, transcript_path: join(dir, 'none.jsonl'), cwd: dir },
    ...{ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: message },
  })

/** Runs the jobs with limited concurrency and returns their results in order. */
export async function atOnce(count, jobs) {
  const results = []
  let next = 0
  const work = async () => {
    while (next < jobs.length) {
      const n = next++
      results[n] = await jobs[n]()
    }
  }
  await Promise.all(Array.from({ length: count }, work))
  return results
}

/** How often each value occurs, as text: "10: 198, 64: 2". */
export function tally(values) {
  const counts = new Map()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${value}: ${count}`).join(', ')
}
