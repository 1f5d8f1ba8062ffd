// Measures how often a loop is wrong about being done, on tasks with hidden tests.
import { fileURLToPath } from 'node:url'
import { withPlan } from './gauntlet/claims.mjs'
import { ALLOWED, sumUp } from './gauntlet/figures.mjs'
import { runGauntlet } from './gauntlet/gauntlet.mjs'
import { exitgateRun } from './gauntlet/run-exitgate.mjs'
import { absent, peers } from './gauntlet/run-peer.mjs'
import { scenarios as all } from './gauntlet/scenarios/index.mjs'
import { printMisses, printTable } from './gauntlet/table.mjs'

const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))
const PRESETS = ['cub', 'prp', 'doyaken', 'blackbox', 'gsd', 'ralph']
/** Without --full, presets and published loops run only this many scenarios per class. */
const PART = 1
/**
 * All scenarios take minutes. When all benches run, the default preset and the reference loops run this many per class. Presets and
 * published loops run one scenario of every third class.
 */
const BRIEF_PART = 2
const BRIEF_STEP = 3
const AT_ONCE = 3
const GOAL = { falseElsewhere: 0, missed: 0, wastedMax: 1 }

export const name = 'gauntlet'
export const about = 'scripted agents in small repositories, judged by hidden tests: exitgate and other loops'

export async function run({ full, brief, print }) {
  const scenarios = brief ? firstOfEachClass(BRIEF_PART) : all
  const part = full ? scenarios : firstOfEachClass(PART).filter((_, at) => !brief || at % BRIEF_STEP === 0)
  const takes = (scenario) => part.includes(scenario)
  const gate = (preset) => ({
    name: `exitgate ${preset}`,
    as: (scenario) => withPlan(scenario, preset),
    run: (scenario, ground) => exitgateRun(scenario, ground, { program, preset }),
  })
  const systems = [gate('default'), ...PRESETS.map((preset) => ({ ...gate(preset), takes }))]
  const loops = peers().filter(({ missing }) => missing === undefined)
  const started = Date.now()
  const progress = ({ name }) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${name}`)
  const { results, skipped } = await runGauntlet({
    scenarios,
    systems: [...systems, ...loops.map((each) => ({ ...each, takes }))],
    atOnce: AT_ONCE,
    progress,
  })
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  const table = [...results].map(([system, runs]) => sumUp(system, runs))
  const ours = results.get('exitgate default')
  const classes = [...new Set(ours.map((each) => each.class))].sort().map((group) =>
    sumUp(
      group,
      ours.filter((each) => each.class === group),
    ),
  )
  const misses = ours.filter((run) => !isLimit(run)).flatMap(missesOf)
  const limits = ours.filter(isLimit)
  const met = isMet(ours)
  print(
    `  ${scenarios.length} of ${all.length} scenarios, iteration limit per scenario, ${AT_ONCE} at a time, ${seconds(started)} s`,
  )
  printTable(print, table)
  print('\n  exitgate default, by class')
  printTable(print, classes)
  print(misses.length === 0 ? '\n  exitgate default made no errors' : '\n  errors of exitgate default')
  printMisses(print, misses)
  if (limits.length > 0) print('\n  known limits')
  for (const { scenario, ending } of limits) print(`  ${ending.padEnd(22)} ${scenario}`)
  for (const { scenario, missing } of skipped) print(`  skipped: ${scenario}, ${missing} is not installed`)
  for (const each of absent()) print(`  not run: ${each.name}, ${each.missing}`)
  print(
    `  goal: no false completion outside "hidden" and "known-limits", none missed, at most one wasted iteration: ${met ? 'met' : 'NOT MET'}`,
  )
  if (!met) process.exitCode = 1
  return {
    scenarios: scenarios.length,
    part: part.length,
    goal: GOAL,
    met,
    table,
    classes,
    misses,
    limits: limits.map(({ scenario, ending }) => ({ scenario, ending })),
    skipped,
    absent: absent(),
  }
}

const isLimit = (run) => run.class === 'known-limits'
const seconds = (started) => Math.round((Date.now() - started) / 1000)

function firstOfEachClass(count) {
  return all.filter((scenario) => all.filter((each) => each.class === scenario.class).indexOf(scenario) < count)
}

function missesOf(run) {
  const faults = [run.false && 'false', run.missed && 'missed', run.wasted > GOAL.wastedMax && `${run.wasted} wasted`]
  return faults.filter(Boolean).map((fault) => ({
    scenario: run.scenario,
    class: run.class,
    fault,
    ending: run.ending,
    reason: run.reason,
    missing: run.missing,
  }))
}

function isMet(runs) {
  return runs.every(
    (run) => !(run.false && !ALLOWED.includes(run.class)) && !run.missed && (run.wasted ?? 0) <= GOAL.wastedMax,
  )
}
