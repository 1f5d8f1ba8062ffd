// Runs all scenarios through all systems. The truth of each scenario is computed once; the runs are real.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../median.mjs'
import { judgeRun } from './figures.mjs'
import { endAll, makeGround } from './ground.mjs'
import { lacks } from './programs.mjs'
import { REFERENCES, referenceRun } from './reference.mjs'
import { keepTree } from './tree.mjs'
import { makeJudge } from './truth.mjs'
import { walk } from './walk.mjs'

/**
 * `systems` are { name, run(scenario, ground), takes(scenario)?, as(scenario)? (the scenario as its users would have it) }. Returns
 * one entry per run, the scenarios that could not run with the missing program, and the results of the walk.
 */
export async function runGauntlet({ scenarios, systems, atOnce = 2, progress = () => {} }) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gauntlet-')))
  const results = new Map([...REFERENCES, ...systems].map(({ name }) => [name, []]))
  const skipped = []
  const walks = []
  const abortAll = (signal) => {
    endAll()
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    process.kill(process.pid, signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, abortAll)
  try {
    await mapConcurrently(scenarios, atOnce, async (scenario, at) => {
      const missing = await lacks(scenario)
      if (missing !== undefined) return skipped.push({ scenario: scenario.name, missing })
      const place = join(root, String(at))
      const { walked, judge } = await truthOf(scenario, place, root)
      walks.push({ scenario: scenario.name, doneAt: walked.doneAt ?? null, standstillAt: walked.standstillAt })
      const facts = { scenario, walked, judge }
      for (const each of REFERENCES) results.get(each.name).push(await judgeRun(referenceRun(each, walked), facts))
      for (const system of systems) {
        if (system.takes?.(scenario) === false) continue
        const adapted = system.as?.(scenario) ?? scenario
        const ground = await makeGround(adapted, join(place, system.name.replace(/\W+/g, '-')), { root, place })
        results.get(system.name).push(await judgeRun(await system.run(adapted, ground), facts))
      }
      progress(scenario)
      rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    })
    return { results, skipped, walks }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, abortAll)
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** A scenario whose hidden tests pass before any work proves nothing. */
export async function truthOf(scenario, place, root) {
  mkdirSync(place, { recursive: true })
  const ground = await makeGround(scenario, join(place, 'walk'), { root, place })
  const judge = makeJudge(scenario, { trees: ground.trees, place: join(place, 'judged'), env: ground.env })
  if (await judge.isDone(keepTree(ground.dir, ground.trees)))
    throw new Error(`"${scenario.name}" is invalid: its hidden tests pass before any work`)
  const walked = await walk(scenario, ground, judge)
  const tests = walked.steps.flatMap(({ testMs }) => testMs ?? [])
  return { walked: { ...walked, testMs: tests.length === 0 ? 0 : median(tests) }, judge }
}

/** Runs the work for each item in any order, `atOnce` at a time. */
async function mapConcurrently(items, atOnce, work) {
  let next = 0
  const hand = async () => {
    while (next < items.length) {
      const at = next++
      await work(items[at], at)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, hand))
}
