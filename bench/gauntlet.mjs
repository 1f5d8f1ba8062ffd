import { fileURLToPath } from 'node:url'
import { sumUp } from './gauntlet/figures.mjs'
import { runGauntlet } from './gauntlet/gauntlet.mjs'
import { exitgateRun } from './gauntlet/run-exitgate.mjs'
import { scenarios } from './gauntlet/scenarios/index.mjs'

const program = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

export const name = 'gauntlet'
export const about = 'scripted agents in small repositories, judged by hidden tests; exitgate and other loops'

export async function run({ print }) {
  const systems = [{ name: 'exitgate default', run: (scenario, ground) => exitgateRun(scenario, ground, { program }) }]
  const { results, skipped } = await runGauntlet({ scenarios, systems })
  const table = [...results].map(([system, runs]) => sumUp(system, runs))
  for (const each of table) print(JSON.stringify(each))
  return { table, skipped, runs: Object.fromEntries(results) }
}
