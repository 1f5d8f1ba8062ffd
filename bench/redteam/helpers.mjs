// Agents that leave helpers: does one act after its agent has ended, and what is left when exitgate is killed with kill -9?
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endLeftovers, runProcess } from '../gauntlet/ground.mjs'
import { makeStage, program } from './stage.mjs'

const leaver = fileURLToPath(new URL('./leave-helpers.mjs', import.meta.url))
/** Helpers per start of the agent, each with its own kind and timing. */
const EACH = 5
const CONFIG = { breaker: { enabled: false }, commands: { test: 'true' }, required: ['changed'], requireChange: false }

async function makePlace(at) {
  const stage = await makeStage({ project: 'node' }, at)
  writeFileSync(join(stage.dir, 'exitgate.config.json'), JSON.stringify(CONFIG))
  mkdirSync(join(stage.dir, '.git', 'acted'))
  return stage
}

const lineOf = (sandbox, iterations, words) => [
  ...[
    program,
    'run',
    '--json',
    '--anyway',
    '--sandbox',
    sandbox ? 'required' : 'off',
    '--max-iterations',
    String(iterations),
  ],
  ...['--', process.execPath, leaver, ...words.map(String)],
]

/** `rounds` helpers in one run. A helper acts by creating a file; one that is newer than the end of its agent was late. */
export async function runRounds(rounds, { sandbox, at }) {
  const stage = await makePlace(at)
  try {
    const iterations = Math.ceil(rounds / EACH)
    const { out } = await runProcess(process.execPath, lineOf(sandbox, iterations, [EACH]), {
      cwd: stage.dir,
      env: stage.env,
      deadlineMs: 3_600_000,
    })
    await sleep(1000)
    const ended = new Map()
    for (const line of out.split('\n'))
      if (line.startsWith('{"type":"agent-ended"')) {
        const { iteration, at: when } = JSON.parse(line)
        ended.set(iteration, when)
      }
    const acted = readdirSync(join(stage.dir, '.git', 'acted')).map((name) => ({
      name,
      iteration: Number(name.split('-')[0]),
      when: statSync(join(stage.dir, '.git', 'acted', name)).mtimeMs,
    }))
    const late = acted.filter(({ iteration, when }) => when > (ended.get(iteration) ?? Number.POSITIVE_INFINITY))
    return {
      iterations: ended.size,
      helpers: ended.size * EACH,
      acted: acted.length,
      late: late.map(({ name }) => name),
    }
  } finally {
    endLeftovers(stage)
  }
}

/** Kills exitgate with SIGKILL while its agent and helpers work. Returns what is left of them. */
export async function killExitgate({ sandbox, at }) {
  const stage = await makePlace(at)
  const mark = `redteam-left-${stage.at.replaceAll(/\W/g, '-')}`
  try {
    const child = spawn(process.execPath, lineOf(sandbox, 1, [EACH, mark]), {
      cwd: stage.dir,
      env: stage.env,
      stdio: 'ignore',
      detached: true,
    })
    const ready = join(stage.dir, '.git', 'working')
    for (let n = 0; n < 600 && !existsSync(ready); n++) await sleep(50)
    await sleep(Math.random() * 500)
    const before = withMark(mark).length
    child.kill('SIGKILL')
    let left = before
    for (let n = 0; n < 60 && left > 0; n++) {
      await sleep(100)
      left = withMark(mark).length
    }
    return { before, left }
  } finally {
    for (const pid of withMark(mark)) process.kill(pid, 'SIGKILL')
    endLeftovers(stage)
  }
}

/** Processes that have the mark on their command line. */
function withMark(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return words.includes(mark) && !words.includes('cli.cjs') && !words.includes('bwrap')
      } catch {
        return false
      }
    })
    .map(Number)
}
