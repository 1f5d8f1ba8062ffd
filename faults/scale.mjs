// Commands on a run of 10,000 iterations, repositories of 20,000 and 100,000 files, and tests that print 1 GB. Commands must exit with their usual
// code, within a multiple of the time to read the file.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeRepository } from '../bench/big-repository.mjs'
import * as api from '../bench/library.mjs'
import { writeLongRun } from '../bench/long-run.mjs'
import { noProc } from './processes.mjs'
import { makeProject } from './project.mjs'

const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))
const ITERATIONS = 10_000
/**
 * Maximum CPU time of a command as a multiple of JSON.parse over the same lines. If people wait for it, also the maximum in seconds, for
 * the lower of CPU time and wall time. CPU time counts threads that run at the same time, and wall time grows on a busy machine.
 */
const COMMANDS = [
  ['state', ['state'], 2, 2],
  ['status', ['status'], 2, 2],
  ['state --verify', ['state', '--verify'], 5],
  ['explain', ['explain'], 5, 2],
  ['report', ['report', '--out', 'report.html'], 16, 2],
  ['replay', ['replay'], 12],
  ['history', ['history'], 2],
  ['history --stats', ['history', '--stats'], 5],
]

const GIGABYTE = 1024 ** 3
const FILES = 20_000
const MANY_FILES = 100_000
/** The first check also takes the baseline. */
const MAX_FIRST_RATIO = 3

const written = new Map()
/** One journal for all rows of a folder. */
function longRun(dir) {
  const known = written.get(dir)
  if (known !== undefined) return known
  const run = writeLongRun(api, dir, ITERATIONS)
  written.set(dir, run)
  return run
}

export const rows = [
  ...COMMANDS.map(([name, args, maxRatio, maxSeconds = Number.POSITIVE_INFINITY]) => ({
    name: `scale: ${name} of ${ITERATIONS} iterations`,
    async run({ dir, log }) {
      const { work, stateDir, dir: journal } = longRun(dir)
      const parse = cpuOf(['-e', PARSE, join(journal, 'journal.jsonl')], work)
      const used = cpuOf([program, ...args, '--state-dir', stateDir], work)
      const ratio = used.seconds / parse.seconds
      const figures = `${used.seconds.toFixed(2)} s of CPU, ${used.wallSeconds.toFixed(2)} s in all`
      log(`${figures}, JSON.parse ${parse.seconds.toFixed(2)} s of CPU`)
      return {
        ok: used.code === 0 && ratio <= maxRatio && Math.min(used.seconds, used.wallSeconds) < maxSeconds,
        detail: `exit ${used.code}, ${ratio.toFixed(1)} times JSON.parse, ${figures}`,
      }
    },
  })),
  {
    name: 'scale: tests that print 1 GB through run stay below 200 MB of memory',
    async run({ dir }) {
      if (noProc) return noProc
      const print = `yes 'a line that a test prints, again and again' | head -c ${GIGABYTE}\n`
      const failed = "printf '\\nFAIL ./a.test.js\\n\\nTests:       1 failed, 1 total\\n'; exit 1\n"
      const project = makeProject(dir, { 'check.sh': `${print}${failed}` })
      const { child, done } = project.start(['run', '--plain', '--max-iterations', '1', '--', 'sh', '-c', 'true'])
      let peak = 0
      const look = setInterval(() => {
        peak = Math.max(peak, peakOf(child.pid))
      }, 20)
      const { code } = await done
      clearInterval(look)
      const tests = project.events().find(({ type }) => type === 'iteration.decided')?.observation.evidence.tests
      return {
        ok: code === 2 && peak > 0 && peak < 200 && tests?.answer === 'no',
        detail: `exit ${code}, ${peak.toFixed(0)} MB, tests: ${tests?.answer} (${tests?.detail})`,
      }
    },
  },
  {
    name: `scale: a claim in a repository of ${MANY_FILES} files stays below 400 MB of memory`,
    async run({ dir }) {
      if (noProc) return noProc
      const work = join(dir, 'work')
      mkdirSync(work)
      makeRepository(work, { files: MANY_FILES, commits: 2 })
      const agent = "sed -i 's/- \\[ \\]/- [x]/' PLAN.md; printf 'EXIT_STATUS: COMPLETE\\nREMAINING_WORK: none\\n'"
      const env = { PATH: process.env.PATH, HOME: dir, EXITGATE_SANDBOX: 'off', EXITGATE_STATE_DIR: join(dir, 'state') }
      const args = [program, 'run', '--plain', '--task', 'tick', '--max-iterations', '1', '--', 'sh', '-c', agent]
      const child = spawn(process.execPath, args, { cwd: work, env, stdio: 'ignore' })
      let peak = 0
      const look = setInterval(() => {
        peak = Math.max(peak, peakOf(child.pid))
      }, 20)
      const [code] = await once(child, 'close')
      clearInterval(look)
      return { ok: code === 0 && peak > 0 && peak < 400, detail: `exit ${code}, ${peak.toFixed(0)} MB` }
    },
  },
  {
    name: `scale: the first check in a repository of ${FILES} files, compared with the second`,
    async run({ dir }) {
      const project = makeProject(dir)
      for (let n = 0; n < FILES; n++) {
        const folder = join(project.dir, `d${n % 200}`)
        if (n < 200) mkdirSync(folder)
        writeFileSync(join(folder, `f${n}.js`), `export const value${n} = ${n}\n`)
      }
      project.git('add', '-A')
      project.git('commit', '-qm', 'more')
      const check = () => cpuOf([program, 'check', '--quiet', '--state-dir', join(dir, 'state')], project.dir)
      const [first, second] = [check(), check()]
      const ratio = first.seconds / second.seconds
      return {
        ok: first.code === 10 && second.code === 10 && ratio <= MAX_FIRST_RATIO,
        detail: `${ratio.toFixed(1)} times, ${first.seconds.toFixed(2)} s and ${second.seconds.toFixed(2)} s of CPU, exit ${first.code} and ${second.code}`,
      }
    },
  },
  {
    name: 'scale: a flipped byte before the snapshot stops run --resume',
    async run({ dir }) {
      const { work, stateDir, dir: journal } = writeLongRun(api, join(dir, 'flipped'), 500, { ended: false, every: 64 })
      const file = join(journal, 'journal.jsonl')
      const bytes = readFileSync(file)
      bytes[1000] ^= 1
      writeFileSync(file, bytes)
      const { code, stderr } = cpuOf([program, 'run', '--resume', '--state-dir', stateDir, '--', 'true'], work)
      return {
        ok: code === 70 && /damaged at line/.test(stderr),
        detail: `exit ${code}: ${stderr.trim().slice(0, 100)}`,
      }
    },
  },
]

/** The most memory that a process used until now, in MB. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const PARSE = `
  let n = 0
  for (const line of require('fs').readFileSync(process.argv[1], 'utf8').split('\\n')) if (line) n += JSON.parse(line).seq`

/** CPU and wall seconds of a finished program, including the start of Node, and its exit code. */
function cpuOf(args, cwd) {
  const env = { PATH: process.env.PATH, HOME: cwd }
  const script = `
    const { spawnSync } = require('child_process')
    const ended = spawnSync(process.execPath, JSON.parse(process.argv[1]), { encoding: 'utf8', maxBuffer: 1e9 })
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    console.log(JSON.stringify({ code: ended.status, stderr: ended.stderr, own: userCPUTime + systemCPUTime }))`
  const startedAt = performance.now()
  const timed = spawnSync(
    '/usr/bin/env',
    ['sh', '-c', 'times; "$@"; times', 'sh', process.execPath, '-e', script, JSON.stringify(args)],
    { cwd, env, encoding: 'utf8' },
  )
  const wallSeconds = (performance.now() - startedAt) / 1000
  const lines = timed.stdout.trim().split('\n')
  const found = JSON.parse(lines.find((line) => line.startsWith('{')))
  return { ...found, wallSeconds, seconds: Math.max(0.001, childSeconds(lines.at(-1)) - found.own / 1e6) }
}

/** The last line of the shell's `times`: user and system time of all children, as 0m1.5s. */
const childSeconds = (line) =>
  line.split(' ').reduce((sum, text) => {
    const [, minutes, seconds] = /(\d+)m([\d.]+)s/.exec(text)
    return sum + 60 * Number(minutes) + Number(seconds)
  }, 0)
