// A repository of 10,000 files and 1,000 commits with an agent's work in it. With --full also one of 100,000 files. Every figure is
// the median of separate processes.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { doSomeWork, makeRepository } from './big-repository.mjs'
import { median, round } from './median.mjs'

export const name = 'evidence'
export const about =
  "evidence of one iteration with 10,000 files and 1,000 commits, without the time of the user's tests"

const USUAL = { files: 10_000, commits: 1_000, rounds: 5, goal: { ms: 1_500, peakMb: 200 } }
/** For 100,000 files the goals are the ratio to `git status` on the same machine, and the memory. */
const LARGE = { files: 100_000, commits: 20, rounds: 3, goal: { ofStatus: 20, peakMb: 400 } }
const CHANGES = 40
/** The time of a claim in a clean room, as a multiple of one in place. */
const ROOM_GOAL = 1.2
const NEEDED = ['openWorkspace', 'detect', 'preferred', 'collectGit', 'collect', 'gitCheck', 'commandCheck']
const WANTED = ['takeBaseline', 'openBaseline', 'tamperingCheck', 'planCheck']

export async function run({ print, full = false, library = new URL('./library.mjs', import.meta.url).href } = {}) {
  const api = await import(library)
  const lacks = NEEDED.filter((each) => api[each] === undefined)
  if (lacks.length > 0) throw new Error(`the library does not export ${lacks.join(', ')}`)
  const without = WANTED.filter((each) => api[each] === undefined)
  if (without.length > 0) print(`  without ${without.join(', ')}: the library does not export them`)
  const hasBaseline = !without.includes('takeBaseline')
  const usual = measure(USUAL, { print, library, hasBaseline })
  if (!full) return usual
  print('')
  const large = measure(LARGE, { print, library, hasBaseline })
  return { ...usual, large, met: usual.met && large.met }
}

function measure({ files, commits, rounds: count, goal }, { print, library, hasBaseline }) {
  const root = mkdtempSync(join(tmpdir(), 'exitgate-bench-evidence-'))
  try {
    const dir = join(root, 'work')
    const state = join(root, 'state')
    mkdirSync(dir)
    mkdirSync(state)
    const began = performance.now()
    makeRepository(dir, { files, commits })
    print(`  created a repository of ${files} files in ${round((performance.now() - began) / 1000, 1)} s`)
    const baseline = hasBaseline ? child(library, 'baseline', dir, state) : undefined
    const claims = claimsIn(library, dir, join(root, 'claims'))
    doSomeWork(dir, CHANGES)
    const rounds = Array.from({ length: count }, () => ({
      statusMs: statusMs(dir),
      ...child(library, 'gather', dir, state),
    }))
    const figures = { commits, ...figuresOf(rounds, baseline, goal, print) }
    const room = claims(count)
    print(
      `  a claim in a clean room takes ${room.ratio} x the time of one in place (${room.roomMs} and ${room.plainMs} ms), ${room.ofCpu} x its processor time`,
    )
    return { ...figures, room, met: figures.met && room.ratio < ROOM_GOAL }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A claim in a clean room and one in place, in turns. Their baselines are taken before the agent's work. */
function claimsIn(library, dir, state) {
  const places = ['auto', 'off'].map((cleanRoom) => {
    const folder = join(state, cleanRoom)
    return { cleanRoom, folder, id: child(library, 'start', dir, folder, cleanRoom).answers.baselineId }
  })
  return (count) => {
    const turns = Array.from({ length: count }, () =>
      places.map(({ cleanRoom, folder, id }) => child(library, 'claim', dir, folder, cleanRoom, id)),
    )
    const [roomMs, plainMs] = [0, 1].map((at) => round(median(turns.map((turn) => turn[at].ms)), 1))
    const ratioOf = (pick) => round(median(turns.map(([room, plain]) => pick(room) / pick(plain))), 2)
    return { roomMs, plainMs, ratio: ratioOf(({ ms }) => ms), ofCpu: ratioOf(({ cpuMs }) => cpuMs), goal: ROOM_GOAL }
  }
}

/** The reference for the machine: one `git status` over all files. */
function statusMs(dir) {
  const began = performance.now()
  const { status, stderr } = spawnSync('git', ['--no-optional-locks', 'status', '--porcelain'], { cwd: dir })
  if (status !== 0) throw new Error(`git status: ${stderr}`)
  return performance.now() - began
}

function child(library, job, dir, state, ...more) {
  const script = fileURLToPath(new URL('./evidence-child.mjs', import.meta.url))
  const { PATH, HOME } = process.env
  const args = [script, library, job, dir, state, ...more]
  const done = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH, HOME }, maxBuffer: 1e8 })
  if (done.status !== 0) throw new Error(done.stderr)
  return JSON.parse(done.stdout)
}

function figuresOf(rounds, baseline, goal, print) {
  const of = (pick) => round(median(rounds.map(pick)), 1)
  const parts = Object.keys(rounds[0].times)
  for (const part of parts) print(`  ${part.padEnd(18)}${String(of(({ times }) => times[part])).padStart(10)} ms`)
  // Checks run in parallel, so the tests count only if everything else waited for them.
  const own = ({ ms, times }) => ms - Math.min(times.tests, times.collect - slowestOther(times))
  const figures = {
    files: rounds[0].answers.files,
    ms: of(own),
    cpuMs: of(({ cpuMs }) => cpuMs),
    statusMs: of((each) => each.statusMs),
    ofStatus: of((each) => own(each) / each.statusMs),
    withTestsMs: of(({ ms }) => ms),
    peakMb: of(({ peakMb }) => peakMb),
    ...(baseline && {
      baselineMs: round(baseline.ms, 1),
      baselineCpuMs: round(baseline.cpuMs, 1),
      baselinePeakMb: round(baseline.peakMb, 1),
    }),
  }
  print('')
  for (const [figure, value] of Object.entries(figures)) print(`  ${figure.padEnd(18)}${String(value).padStart(10)}`)
  print(`  ${JSON.stringify(rounds[0].answers)}`)
  for (const [figure, most] of Object.entries(goal)) print(`  goal ${figure.padEnd(13)}${String(most).padStart(10)}`)
  return { ...figures, goal, met: Object.entries(goal).every(([figure, most]) => figures[figure] < most) }
}

const slowestOther = (times) =>
  Math.max(...Object.entries(times).map(([part, ms]) => (part.startsWith('check ') && part !== 'check tests' ? ms : 0)))
