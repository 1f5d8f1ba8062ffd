// Runs the script once without any system, to learn what is true after each iteration and what the simple loops would have seen.
import { fileURLToPath } from 'node:url'
import { capOf, endLeftovers, readRecord, runProcess } from './ground.mjs'
import { testCommandOf } from './test-command.mjs'

const agent = fileURLToPath(new URL('./agent.mjs', import.meta.url))

export const agentCommand = (
  scenario,
  { folder, trees },
  { voice = 'default', format = scenario.format ?? 'text' } = {},
) => [process.execPath, agent, scenario.class, scenario.name, folder, trees, voice, format]

const PROMISE = /<promise>\s*COMPLETE\s*<\/promise>/
/** After this many equal iterations following the script's last entry, the rest of the walk is known. */
const STEADY = 3

export async function walk(scenario, ground, judge) {
  const steps = []
  const cap = capOf(scenario)
  const [file, ...args] = agentCommand(scenario, ground)
  const stopped = { green: false, both: false }
  while (steps.length < cap && !isSteady(steps, scenario)) {
    const { out, err, code } = await runProcess(file, args, {
      cwd: ground.dir,
      env: ground.env,
      input: scenario.prompt,
    })
    const done = readRecord(ground.folder).at(-1)
    if (done?.n !== steps.length + 1)
      throw new Error(`${scenario.name}: the script failed (${code}): ${err.slice(-2000)}`)
    const promise = PROMISE.test(out)
    // The tests run as long as one of the simple loops would still check them.
    const wanted = !stopped.green || (promise && !stopped.both)
    const test = wanted ? await runTests(scenario, ground) : undefined
    const green = test?.code === 0
    stopped.green ||= green
    stopped.both ||= green && promise
    steps.push({
      ...done,
      accepted: await judge.isDone(done.tree),
      promise,
      green,
      testMs: test === undefined ? undefined : test.endedAt - test.startedAt,
    })
  }
  endLeftovers(ground)
  return { steps, cap, doneAt: doneAt(steps), standstillAt: standstillAt(steps) }
}

function runTests(scenario, { dir, env }) {
  return runProcess('/bin/sh', ['-c', testCommandOf(scenario, dir)], { cwd: dir, env, deadlineMs: 30_000 })
}

const same = (a, b) => a.tree === b.tree && a.said === b.said && a.code === b.code

function isSteady(steps, { iterations }) {
  if (steps.length < iterations.length + STEADY) return false
  return steps.slice(-STEADY).every((step) => same(step, steps.at(-1)))
}

/** The first iteration after which the work was done and claimed. */
export const doneAt = (steps) => steps.find(({ accepted, claimed }) => accepted && claimed)?.n

/** The last iteration with something new, in its files or its output. */
function standstillAt(steps) {
  const isNew = (step) => !steps.slice(0, step.n - 1).some((earlier) => same(earlier, step))
  return steps.findLast(isNew)?.n ?? 0
}
