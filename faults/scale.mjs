// Commands on a run of 10,000 iterations. Each must exit with its usual code, within a multiple of the time to read the file.
// `rows` for `npm run faults`.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as api from '../bench/library.mjs'
import { writeLongRun } from '../bench/long-run.mjs'

const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))
const ITERATIONS = 10_000
/** Maximum CPU time of a command as a multiple of JSON.parse over the same lines. */
const COMMANDS = [
  ['state', ['state'], 2],
  ['state --verify', ['state', '--verify'], 5],
  ['explain', ['explain'], 5],
  ['report', ['report', '--out', 'report.html'], 16],
  ['replay', ['replay'], 12],
  ['history', ['history'], 2],
  ['history --stats', ['history', '--stats'], 5],
]

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
  ...COMMANDS.map(([name, args, maxRatio]) => ({
    name: `scale: ${name} of ${ITERATIONS} iterations`,
    async run({ dir, log }) {
      const { work, stateDir, dir: journal } = longRun(dir)
      const parse = cpuOf(['-e', PARSE, join(journal, 'journal.jsonl')], work)
      const used = cpuOf([program, ...args, '--state-dir', stateDir], work)
      const ratio = used.seconds / parse.seconds
      log(`${used.seconds.toFixed(2)} s of CPU, JSON.parse ${parse.seconds.toFixed(2)} s`)
      return {
        ok: used.code === 0 && ratio <= maxRatio,
        detail: `exit ${used.code}, ${ratio.toFixed(1)} times JSON.parse`,
      }
    },
  })),
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

const PARSE = `
  let n = 0
  for (const line of require('fs').readFileSync(process.argv[1], 'utf8').split('\\n')) if (line) n += JSON.parse(line).seq`

/** CPU seconds of a finished program, including the start of Node, and its exit code. */
function cpuOf(args, cwd) {
  const env = { PATH: process.env.PATH, HOME: cwd }
  const script = `
    const { spawnSync } = require('child_process')
    const ended = spawnSync(process.execPath, JSON.parse(process.argv[1]), { encoding: 'utf8', maxBuffer: 1e9 })
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    console.log(JSON.stringify({ code: ended.status, stderr: ended.stderr, own: userCPUTime + systemCPUTime }))`
  const timed = spawnSync(
    '/usr/bin/env',
    ['sh', '-c', 'times; "$@"; times', 'sh', process.execPath, '-e', script, JSON.stringify(args)],
    { cwd, env, encoding: 'utf8' },
  )
  const lines = timed.stdout.trim().split('\n')
  const found = JSON.parse(lines.find((line) => line.startsWith('{')))
  return { ...found, seconds: Math.max(0.001, childSeconds(lines.at(-1)) - found.own / 1e6) }
}

/** The last line of the shell's `times`: user and system time of all children, as 0m1.5s. */
const childSeconds = (line) =>
  line.split(' ').reduce((sum, text) => {
    const [, minutes, seconds] = /(\d+)m([\d.]+)s/.exec(text)
    return sum + 60 * Number(minutes) + Number(seconds)
  }, 0)
