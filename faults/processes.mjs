// Processes of a row: which of them are alive, and kills at random moments.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** After this many kills or this long a command may finish, so that a round ends on a busy machine too. */
const MAX_KILLS = 6
const MAX_KILLING_MS = 90_000
/** No new round starts after this long, because a row has a limit. */
const MAX_ROUNDS_MS = 120_000

export const noProc = existsSync('/proc/self/environ') ? undefined : { ok: true, skipped: 'needs /proc' }

/** State letters of all processes that have the folder as their HOME. */
export function processesOf(root) {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${root}\0`)) return []
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      return [stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)]
    } catch {
      return []
    }
  })
}

/** All processes that a process started, directly or not, with their state letters; also those in a sandbox. */
export function descendantsOf(pid) {
  const all = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return [{ pid: Number(name), parent: Number(parent), state }]
    } catch {
      return []
    }
  })
  const below = (parent) => all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)])
  return below(pid)
}

export const noBubblewrap = () =>
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', 'true']).status === 0
    ? undefined
    : { ok: true, skipped: 'needs bubblewrap' }

/** Starts a run in a sandbox whose agent prints, waits for the file `go` in the workspace, and wants to continue. */
export async function startInSandbox(project, args) {
  project.env.EXITGATE_SANDBOX = 'required'
  const script = ': > at-agent; while [ ! -e go ]; do sleep 0.05; done; echo on'
  const { child, done } = project.start(['run', '--plain', ...args, '--', 'sh', '-c', script])
  let over = false
  done.then(() => {
    over = true
  })
  while (!over && !existsSync(join(project.dir, 'at-agent'))) await sleep(20)
  return { child, done }
}

/** Waits until no process is left; false after five seconds. */
export async function nothingLeft(root) {
  for (let tries = 0; tries < 100; tries++) {
    if (processesOf(root).filter((state) => state !== 'Z').length === 0) return true
    await sleep(50)
  }
  return false
}

/** Stops the process like Ctrl+Z, and waits until all processes of the row are stopped. `ok` is false after five seconds. */
export async function stopAll(root, child) {
  child.kill('SIGTSTP')
  let states = []
  for (let tries = 0; tries < 100; tries++) {
    states = processesOf(root)
    if (states.every((state) => 'TtZ'.includes(state))) break
    await sleep(50)
  }
  return { ok: states.length > 1 && states.every((state) => 'TtZ'.includes(state)), states: states.join(' ') }
}

/** Milliseconds of undisturbed work. Kills are spread over that time, on any machine. */
export async function measureMs(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Starts the command and kills it after a random time, until it ends by itself. Returns the number of kills and its end. */
export async function killUntilDone(start, ms) {
  const begun = performance.now()
  for (let kills = 0; ; kills++) {
    const { child, done } = start()
    const isDisturbed = kills < MAX_KILLS && performance.now() - begun < MAX_KILLING_MS
    const timer = isDisturbed ? setTimeout(() => child.kill('SIGKILL'), Math.random() * ms) : undefined
    const end = await done
    clearTimeout(timer)
    if (end.signal !== 'SIGKILL') return { kills, end }
  }
}

/** Does the same several times, each time in a new folder. Each round returns its kills and problems. */
export async function rounds(count, dir, log, each) {
  const begun = performance.now()
  let kills = 0
  let done = 0
  const problems = []
  for (let n = 1; n <= count && performance.now() - begun < MAX_ROUNDS_MS; n++) {
    const round = await each(`${dir}/r${n}`)
    kills += round.kills
    done = n
    problems.push(...round.problems.map((text) => `round ${n}: ${text}`))
    log(`round ${n} of ${count}: ${round.kills} kills, ${round.problems.join('; ') || 'nothing lost'}`)
  }
  return {
    ok: problems.length === 0,
    detail: `${done} of ${count} rounds, ${kills} kills. ${problems.join('; ')}`.trim(),
  }
}
