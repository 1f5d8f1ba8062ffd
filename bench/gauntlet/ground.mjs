// The environment of a run: a new repository, an almost empty environment, and a cleanup at the end.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { linkPackages } from './programs.mjs'

export const CAP = 12

/** The iteration limit of a scenario, unless it sets its own. */
export function capOf({ args = [] }) {
  const at = args.indexOf('--max-iterations')
  return at === -1 ? CAP : Number(args[at + 1])
}

/** A workspace at the start of a scenario, next to a folder for the agent's own memory. */
export async function makeGround(scenario, at, { root, place }) {
  const [dir, folder, home, tmp] = ['work', 'agent', 'home', 'tmp'].map((name) => join(at, name))
  for (const each of [dir, folder, home, tmp]) mkdirSync(each, { recursive: true })
  writeFiles(dir, { ...scenario.files, 'PROMPT.md': `${scenario.prompt}\n` })
  linkPackages(dir, scenario.packages ?? [])
  const env = { HOME: home, EXITGATE_SANDBOX: 'off', PATH: process.env.PATH, TMPDIR: tmp, LANG: 'C.UTF-8' }
  // A compiler that rebuilds its whole library for every run would dominate the measurement.
  if (scenario.needs?.includes('go')) env.GOCACHE = join(root, 'go-cache')
  // With a new home, rustup finds its toolchain only there.
  if (scenario.needs?.includes('cargo')) env.RUSTUP_HOME = process.env.RUSTUP_HOME ?? join(homedir(), '.rustup')
  await git(dir, env, ['init', '-q', '-b', 'main'])
  await git(dir, env, ['config', 'user.name', 'gauntlet'])
  await git(dir, env, ['config', 'user.email', 'gauntlet@localhost'])
  await git(dir, env, ['add', '-A'])
  await git(dir, env, ['commit', '-qm', 'start'])
  // Copies of trees are shared by all runs of a scenario, so each is judged once.
  return { dir, folder, env, trees: join(place, 'trees') }
}

export function writeFiles(dir, files) {
  for (const [path, content] of Object.entries(files)) {
    const [text, mode] = typeof content === 'string' ? [content, 0o644] : [content.text, content.mode]
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text, { mode })
  }
}

async function git(dir, env, args) {
  const { code, err } = await runProcess('git', args, { cwd: dir, env })
  if (code !== 0) throw new Error(`git ${args.join(' ')} exited with ${code}: ${err}`)
}

const KEPT_CHARACTERS = 4_000_000
const running = new Set()

/** When interrupted: no started process may outlive the harness. */
export function endAll() {
  for (const pid of running) endGroup(pid)
}

/** Runs a program in its own process group and ends the rest of the group with it. */
export function runProcess(file, args, { cwd, env, input, deadlineMs = 120_000 }) {
  return new Promise((resolve) => {
    const startedAt = Date.now()
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    if (child.pid !== undefined) running.add(child.pid)
    const texts = { out: '', err: '' }
    const keep = (name) => (chunk) => {
      texts[name] = `${texts[name]}${chunk}`.slice(-KEPT_CHARACTERS)
    }
    child.stdout.setEncoding('utf8').on('data', keep('out'))
    child.stderr.setEncoding('utf8').on('data', keep('err'))
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
    let late = false
    const timer = setTimeout(() => {
      late = true
      endGroup(child.pid)
    }, deadlineMs)
    const settle = (code) => {
      clearTimeout(timer)
      running.delete(child.pid)
      resolve({ ...texts, code, late, startedAt, endedAt: Date.now() })
    }
    child.once('error', (error) => {
      texts.err += error.message
      settle(null)
    })
    // A leftover process could keep the pipes open forever, so only the end of the program counts.
    child.once('exit', (code) => {
      endGroup(child.pid)
      setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, 500).unref()
      child.once('close', () => settle(code))
    })
  })
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

/** Ends processes that left the group. On Linux their environment still has the run's home folder. */
export function endLeftovers({ env }) {
  let pids = []
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return
  }
  for (const pid of pids) {
    try {
      const owns = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${env.HOME}`)
      if (owns) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // A process of another user, or one that has just ended.
    }
  }
}

/** The agent's own record of its iterations, in order; an interrupted one has no end. */
export function readRecord(folder) {
  const at = join(folder, 'record')
  let files = []
  try {
    files = readdirSync(at)
  } catch {
    return []
  }
  const read = (file) => JSON.parse(readFileSync(join(at, file), 'utf8'))
  const started = files.filter((file) => file.endsWith('.started')).map(read)
  return started
    .sort((a, b) => a.n - b.n)
    .map((each) => ({ ...each, ...(files.includes(`${each.n}.json`) && read(`${each.n}.json`)) }))
}
