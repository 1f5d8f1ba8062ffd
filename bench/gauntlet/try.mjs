// node bench/gauntlet/try.mjs TEXT [PRESET...]: runs the scenarios whose class or name contains TEXT, and prints one line per
// system.
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { withPlan } from './claims.mjs'
import { runGauntlet } from './gauntlet.mjs'
import { exitgateRun } from './run-exitgate.mjs'
import { scenarios } from './scenarios/index.mjs'

const program = fileURLToPath(new URL('../../dist/cli/cli.cjs', import.meta.url))
const [words = '', ...presets] = argv.slice(2)
const chosen = scenarios.filter((each) => each.class === words || each.name.includes(words))
const systems = ['default', ...presets].map((preset) => ({
  name: `exitgate ${preset}`,
  as: (scenario) => withPlan(scenario, preset),
  run: (scenario, ground) => exitgateRun(scenario, ground, { program, preset }),
}))

const { results, skipped, walks } = await runGauntlet({ scenarios: chosen, systems })
for (const { scenario, missing } of skipped) console.log(`${scenario}: skipped, ${missing} is not installed`)
for (const { scenario, doneAt, standstillAt } of walks) {
  console.log(
    `\n${scenario}: ${doneAt === null ? 'never done' : `done at ${doneAt}`}, nothing new after ${standstillAt}`,
  )
  for (const [system, runs] of results) {
    const run = runs.find((each) => each.scenario === scenario)
    if (run === undefined) continue
    const faults = [
      run.false && 'FALSE',
      run.missed && 'MISSED',
      run.wasted > 0 && `${run.wasted} wasted`,
      run.idle > 0 && `${run.idle} idle`,
    ]
    console.log(
      `  ${system.padEnd(30)}${run.ending.padEnd(26)}${run.started} started  ${faults.filter(Boolean).join(', ')}`,
    )
    if (run.reason !== undefined) console.log(`      ${run.reason.slice(0, 400)}`)
    for (const each of run.missing ?? []) console.log(`      - ${each.slice(0, 300)}`)
  }
}
