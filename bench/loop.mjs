// The built program with real processes. Its own time is an iteration minus the agent and the test command, which are measured
// without it in the same bench. Forks, git and the disk count as its own.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareSpawns, flood, makeWorkspace, runProgram } from './loop-runs.mjs'
import { viewRatio } from './loop-view.mjs'
import { median, round } from './median.mjs'

export const name = 'loop'
export const about =
  'what the loop adds to an iteration, and the live view to the loop; memory over many iterations, and large output'

const SIZES = { iterations: 100, large: 20, many: 1_000, megabytes: 128 }
/** When all benches run. */
const BRIEF = { ...SIZES, iterations: 60, many: 400 }
const FULL = { iterations: 1_000, large: 200, many: 10_000, megabytes: 1_024 }
const LARGE_FILES = 10_000
const GOAL = { medianMs: 30, growthMb: 8, floodGrowthMb: 64, viewRatio: 1.1 }

export async function run({ print, full = false, brief = false }) {
  const sizes = full ? FULL : brief ? BRIEF : SIZES
  const root = mkdtempSync(join(tmpdir(), 'exitgate-bench-loop-'))
  try {
    const overhead = {}
    for (const [place, { count, ...kind }] of Object.entries({
      folder: { count: sizes.iterations },
      repository: { count: sizes.iterations, git: true },
      [`${LARGE_FILES} files`]: { count: sizes.large, git: true, files: LARGE_FILES },
    }))
      overhead[place] = await overheadIn(kind, join(root, place.replace(' ', '-')), count)
    printOverhead(print, overhead)
    const sandbox = await sandboxRatio(join(root, 'sandbox'), sizes.iterations >> 1)
    print(
      sandbox.skipped === undefined
        ? `  an iteration in the sandbox takes ${sandbox.ratio} x the time of one without (${sandbox.withMs} and ${sandbox.withoutMs} ms)`
        : `  without the sandbox: ${sandbox.skipped}`,
    )
    const view = await viewRatio(join(root, 'view'), { iterations: sizes.iterations >> 1, pairs: 3 })
    print(
      view.skipped === undefined
        ? `  with the live view: ${view.wallRatio} x the time and ${view.cpuRatio} x the CPU of a run without; first frame after ${view.firstFrameMs} ms (goal: at most ${GOAL.viewRatio} x)`
        : `  without the live view: ${view.skipped}`,
    )
    const memory = await memoryOver(join(root, 'many'), sizes.many)
    print(`  ${sizes.many} iterations in one process: heap after gc ${memory.heapMb.join(' -> ')} MB, `)
    print(`    resident ${memory.rssMb.join(' -> ')} MB (tenths of the run)`)
    const floods = {}
    for (const format of ['text', 'events']) {
      floods[format] = await floodOf(format, join(root, `flood-${format}`), sizes.megabytes)
      const { mbPerS, ofCat, ofGrep, growthMb } = floods[format]
      print(
        `  ${sizes.megabytes} MB of ${format}: ${mbPerS} MB/s, ${ofCat} x the time of cat, ${ofGrep} x grep, ${growthMb} MB more memory`,
      )
    }
    return { sizes, goal: GOAL, overhead, sandbox, view, memory, floods, met: isMet(overhead, view, memory, floods) }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const isMet = (overhead, { wallRatio = 1, cpuRatio = 1 }, { growthMb }, floods) =>
  wallRatio <= GOAL.viewRatio &&
  cpuRatio <= GOAL.viewRatio &&
  Object.values(overhead).every(({ medianMs }) => medianMs < GOAL.medianMs) &&
  growthMb < GOAL.growthMb &&
  Object.values(floods).every((each) => each.growthMb < GOAL.floodGrowthMb)

/** The same run with and without the sandbox, agent and tests included. */
async function sandboxRatio(folder, iterations) {
  const iterationMs = async (sandbox) => {
    const place = makeWorkspace(join(folder, sandbox), { git: true, tests: true, iterations, sandbox })
    const { times } = await runProgram(place)
    return median(times.slice(1).map((at, i) => at - times[i]))
  }
  const { error } = spawnSync('bwrap', ['--version'])
  if (process.platform === 'linux' && error !== undefined) return { skipped: 'bubblewrap is not installed' }
  const [withoutMs, withMs] = [await iterationMs('off'), await iterationMs('required')]
  return { withMs: round(withMs, 1), withoutMs: round(withoutMs, 1), ratio: round(withMs / withoutMs, 2) }
}

async function overheadIn(kind, folder, iterations) {
  const place = makeWorkspace(folder, { ...kind, tests: true, iterations })
  const once = makeWorkspace(`${folder}-once`, { ...kind, tests: true, iterations: 1 })
  const { cpuMs: startMs } = await runProgram(once)
  const before = await bareSpawns(place)
  const { times, cpuMs } = await runProgram(place)
  const after = await bareSpawns(place)
  if (times.length !== iterations) throw new Error(`${times.length} iterations started instead of ${iterations}`)
  const bare = (which) => median([...before[which], ...after[which]])
  const [agentMs, testMs] = [bare('agent'), bare('test')]
  const own = times.slice(1).map((at, i) => at - times[i] - agentMs - testMs)
  const sorted = [...own].sort((a, b) => a - b)
  const at = (share) => round(sorted[Math.floor(own.length * share)], 1)
  const part = Math.min(100, own.length >> 1)
  const [first, last] = [median(own.slice(0, part)), median(own.slice(-part))]
  return {
    medianMs: round(median(own), 1),
    // Other programs on the machine affect the median, but hardly this value.
    p5Ms: at(0.05),
    p95Ms: at(0.95),
    cpuMs: round((cpuMs - startMs) / (iterations - 1), 1),
    firstMs: round(first, 1),
    lastMs: round(last, 1),
    agentMs: round(agentMs, 1),
    testMs: round(testMs, 1),
    ofAgent: round(median(own) / agentMs, 1),
    ...(kind.git ? { statusMs: round(bare('status'), 1), ofStatus: round(median(own) / bare('status'), 1) } : {}),
  }
}

function printOverhead(print, overhead) {
  print(
    '               own median       p5      p95  own cpu   at first    at last  bare agent  bare test  git status  own / agent  own / git status',
  )
  for (const [place, each] of Object.entries(overhead)) {
    const { medianMs, p5Ms, p95Ms, cpuMs, firstMs, lastMs, agentMs, testMs, statusMs, ofAgent, ofStatus } = each
    const cells = [
      [medianMs, 11],
      [p5Ms, 9],
      [p95Ms, 9],
      [cpuMs, 9],
      [firstMs, 11],
      [lastMs, 11],
      [agentMs, 12],
      [testMs, 11],
      [statusMs, 12],
    ]
    const shown = cells.map(([ms, width]) => (ms === undefined ? '-' : `${ms} ms`).padStart(width)).join('')
    print(`  ${place.padEnd(11)}${shown}${String(ofAgent).padStart(13)}${String(ofStatus ?? '-').padStart(18)}`)
  }
}

/** Without git and tests, so that the agent is the only process of an iteration; what could grow is the same. */
async function memoryOver(folder, iterations) {
  const place = makeWorkspace(folder, { git: false, tests: false, iterations })
  const { samples } = await runProgram(place, { samples: true })
  const tenths = (figure) =>
    Array.from({ length: 10 }, (_, i) =>
      samples.slice(Math.floor((i * samples.length) / 10), Math.floor(((i + 1) * samples.length) / 10)),
    )
      .filter((part) => part.length > 0)
      .map((part) => round(median(part.map((sample) => sample[figure])), 1))
  const [heapMb, rssMb] = [tenths('heapMb'), tenths('rssMb')]
  // The first tenth is warm-up: code is compiled and caches fill.
  return { iterations, heapMb, rssMb, growthMb: round(heapMb.at(-1) - heapMb[1], 1) }
}

async function floodOf(format, folder, megabytes) {
  mkdirSync(folder)
  const place = (size) => makeWorkspace(join(folder, `${size}`), { iterations: 1, flood: { format, megabytes: size } })
  const small = await runProgram(place(1))
  const { agentMs, peakMb } = await runProgram(place(megabytes))
  const cat = await flood(format, megabytes, 'cat > /dev/null')
  const grep = await flood(format, megabytes, 'grep -cE "task (is )?complete|all tests pass" || true')
  return {
    megabytes,
    mbPerS: round(megabytes / (agentMs / 1000), 1),
    ofCat: round(agentMs / cat, 2),
    ofGrep: round(agentMs / grep, 2),
    peakMb: round(peakMb, 1),
    growthMb: round(peakMb - small.peakMb, 1),
  }
}
