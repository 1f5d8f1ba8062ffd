import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from '../scripts/with-node.mjs'
import { median, round } from './median.mjs'

export const name = 'cold-start'
export const about =
  'wall time of `exitgate check` (goal: at most 1.4) and of importing `exitgate/core` (goal: 1.3) as multiples of `node -e 0`'

const rounds = 25
const warmUps = 3
const meteredRounds = 15
const goal = 1.4
const coreGoal = 1.3
const cli = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))
/** The cost of importing the pure part of the library. */
const core = ['--input-type=module', '-e', `import ${JSON.stringify(new URL('../dist/core.js', import.meta.url).href)}`]

const transcript = 'All three items are in place.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n'
const evidence = {
  tests: { answer: 'yes', detail: '12 passed', counts: { total: 12, passed: 12, failed: 0 } },
  changed: { answer: 'yes', detail: '2 files' },
}

export async function run({ print }) {
  const figures = { goal, coreGoal, rounds, versions: {}, skipped: {} }
  print('  node           bare    check    ratio unrecorded ratio  cpu ratio     core    ratio  cpu ratio')
  for (const major of new Set([process.versions.node.split('.')[0], '22', '24'])) {
    const { path, skipped } = await nodeBinary(major)
    if (skipped) {
      figures.skipped[major] = skipped
      print(`  ${major.padEnd(9)} skipped: ${skipped}`)
      continue
    }
    const measured = measure(path)
    figures.versions[measured.version] = measured
    const { version, bareMs, checkMs, ratio, unrecordedMs, unrecordedRatio, cpuRatio } = measured
    const { coreMs, coreRatio, coreCpuRatio } = measured
    const cells = [`${bareMs} ms`, `${checkMs} ms`, ratio, `${unrecordedMs} ms`, unrecordedRatio, cpuRatio]
    cells.push(`${coreMs} ms`, coreRatio, coreCpuRatio)
    print(`  ${version.padEnd(9)} ${cells.map((cell) => String(cell).padStart(9)).join('')}`)
  }
  const ratios = Object.values(figures.versions).map(({ ratio }) => ratio)
  const coreRatios = Object.values(figures.versions).map(({ coreRatio }) => coreRatio)
  return {
    ...figures,
    worstRatio: Math.max(...ratios),
    met: Math.max(...ratios) <= goal,
    worstCoreRatio: Math.max(...coreRatios),
    coreMet: Math.max(...coreRatios) <= coreGoal,
  }
}

/** The commands alternate, so that a busy moment of the machine affects all of them. */
function measure(node) {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-cold-'))
  try {
    const workspace = join(folder, 'workspace')
    mkdirSync(workspace)
    writeFileSync(join(folder, 'transcript.txt'), transcript)
    writeFileSync(join(folder, 'evidence.json'), JSON.stringify(evidence))
    const given = [
      '--transcript',
      join(folder, 'transcript.txt'),
      '--evidence',
      join(folder, 'evidence.json'),
      '--json',
    ]
    const times = { bare: [], check: [], unrecorded: [], core: [] }
    for (let turn = -warmUps; turn < rounds; turn += 1) {
      // A new state folder each time, because a growing journal would be another measurement.
      const check = [cli, 'check', ...given, '--state-dir', join(folder, `state-${turn}`)]
      const taken = {
        bare: time(node, ['-e', '0'], workspace),
        check: time(node, check, workspace),
        unrecorded: time(node, [...check, '--no-record'], workspace),
        core: time(node, core, workspace),
      }
      if (turn >= 0) for (const [key, ms] of Object.entries(taken)) times[key].push(ms)
    }
    const bare = median(times.bare)
    const check = median(times.check)
    const unrecorded = median(times.unrecorded)
    return {
      version: spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim(),
      bareMs: round(bare, 1),
      checkMs: round(check, 1),
      ratio: round(check / bare, 2),
      unrecordedMs: round(unrecorded, 1),
      unrecordedRatio: round(unrecorded / bare, 2),
      coreMs: round(median(times.core), 1),
      coreRatio: round(median(times.core) / bare, 2),
      ...cpu(node, folder, workspace, given),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The same in CPU time, which depends less on other load. A small module loaded into both commands measures it, so both carry its
 * cost.
 */
function cpu(node, folder, workspace, given) {
  const meter = join(folder, 'meter.cjs')
  writeFileSync(
    meter,
    `process.on('exit', () => {
      const { user, system } = process.cpuUsage()
      require('node:fs').writeFileSync(process.env.METER, String(user + system))
    })`,
  )
  const taken = { bare: [], check: [], core: [] }
  const commands = { bare: ['-e', '0'], core, check: [cli, 'check', ...given, '--state-dir'] }
  for (let turn = 0; turn < meteredRounds; turn += 1) {
    for (const [key, args] of Object.entries(commands)) {
      const fresh = key === 'check' ? [join(folder, `metered-${turn}`)] : []
      time(node, ['-r', meter, ...args, ...fresh], workspace, { METER: join(folder, 'meter.txt') })
      taken[key].push(Number(readFileSync(join(folder, 'meter.txt'), 'utf8')) / 1000)
    }
  }
  const bare = median(taken.bare)
  const check = median(taken.check)
  return {
    cpuBareMs: round(bare, 1),
    cpuCheckMs: round(check, 1),
    cpuRatio: round(check / bare, 2),
    coreCpuRatio: round(median(taken.core) / bare, 2),
  }
}

function time(node, args, cwd, more = {}) {
  const env = { PATH: process.env.PATH, HOME: dirname(cwd), NO_COLOR: '1', ...more }
  const start = performance.now()
  const ended = spawnSync(node, args, { cwd, env, encoding: 'utf8' })
  const ms = performance.now() - start
  // A command that fails early is fast, so such a result is rejected.
  if (ended.status !== 0) throw new Error(`${args.slice(0, 2).join(' ')} ended with ${ended.status}: ${ended.stderr}`)
  return ms
}
