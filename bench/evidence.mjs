// A repository of 10,000 files and 1,000 commits, with an agent's work in it; every figure is the median of processes of their own.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { doSomeWork, makeRepository } from './big-repository.mjs'
import { median, round } from './median.mjs'

export const name = 'evidence'
export const about =
  "the evidence of one iteration on 10,000 files and 1,000 commits, without the time of the user's own tests"

const FILES = 10_000
const COMMITS = 1_000
const CHANGES = 40
const ROUNDS = 5
const GOAL = { ms: 1_500, peakMb: 200 }
const NEEDED = ['openWorkspace', 'detect', 'preferred', 'collectGit', 'collect', 'gitCheck', 'commandCheck']
const WANTED = ['takeBaseline', 'openBaseline', 'tamperingCheck', 'planCheck']

export async function run({ print, library = new URL('./library.mjs', import.meta.url).href } = {}) {
  const api = await import(library)
  const lacks = NEEDED.filter((each) => api[each] === undefined)
  if (lacks.length > 0) throw new Error(`the library does not export ${lacks.join(', ')}`)
  const without = WANTED.filter((each) => api[each] === undefined)
  if (without.length > 0) print(`  without ${without.join(', ')}: the library does not export them`)
  const root = mkdtempSync(join(tmpdir(), 'exitgate-bench-evidence-'))
  try {
    const dir = join(root, 'work')
    const state = join(root, 'state')
    mkdirSync(dir)
    mkdirSync(state)
    const began = performance.now()
    makeRepository(dir, { files: FILES, commits: COMMITS })
    print(`  repository made in ${round((performance.now() - began) / 1000, 1)} s`)
    const baseline = without.includes('takeBaseline') ? undefined : child(library, 'baseline', dir, state)
    doSomeWork(dir, CHANGES)
    const rounds = Array.from({ length: ROUNDS }, () => child(library, 'gather', dir, state))
    return figuresOf(rounds, baseline, print)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function child(library, job, dir, state) {
  const script = fileURLToPath(new URL('./evidence-child.mjs', import.meta.url))
  const { PATH, HOME } = process.env
  const args = [script, library, job, dir, state]
  const done = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH, HOME }, maxBuffer: 1e8 })
  if (done.status !== 0) throw new Error(done.stderr)
  return JSON.parse(done.stdout)
}

function figuresOf(rounds, baseline, print) {
  const of = (pick) => round(median(rounds.map(pick)), 1)
  const parts = Object.keys(rounds[0].times)
  for (const part of parts) print(`  ${part.padEnd(18)}${String(of(({ times }) => times[part])).padStart(10)} ms`)
  // Checks run beside each other: the tests count only as far as they held everything else up.
  const own = ({ ms, times }) => ms - Math.min(times.tests, times.collect - slowestOther(times))
  const figures = {
    files: rounds[0].answers.files,
    commits: COMMITS,
    ms: of(own),
    withTestsMs: of(({ ms }) => ms),
    peakMb: of(({ peakMb }) => peakMb),
    ...(baseline && { baselineMs: round(baseline.ms, 1), baselinePeakMb: round(baseline.peakMb, 1) }),
    goalMs: GOAL.ms,
    goalMb: GOAL.peakMb,
  }
  print('')
  for (const [figure, value] of Object.entries(figures)) print(`  ${figure.padEnd(18)}${String(value).padStart(10)}`)
  print(`  ${JSON.stringify(rounds[0].answers)}`)
  return { ...figures, met: figures.ms < GOAL.ms && figures.peakMb < GOAL.peakMb }
}

const slowestOther = (times) =>
  Math.max(...Object.entries(times).map(([part, ms]) => (part.startsWith('check ') && part !== 'check tests' ? ms : 0)))
