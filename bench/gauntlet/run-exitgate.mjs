// One run of the program itself, as a user would start it.

import { capOf, endLeftovers, readRecord, runProcess } from './ground.mjs'
import { keepTree } from './tree.mjs'
import { agentCommand } from './walk.mjs'

export async function exitgateRun(scenario, ground, { program, preset = 'default' }) {
  const words = ['run', '--json', ...(preset === 'default' ? [] : ['--preset', preset])]
  if (scenario.plan !== undefined) words.push('--plan', scenario.plan)
  if (!scenario.args?.includes('--max-iterations')) words.push('--max-iterations', String(capOf(scenario)))
  words.push(...(scenario.args ?? []), '--', ...agentCommand(scenario, ground, { voice: preset }))
  const ended = await runProcess(process.execPath, [program, ...words], { cwd: ground.dir, env: ground.env })
  endLeftovers(ground)
  const events = ended.out.split('\n').flatMap(eventIn)
  const end = events.findLast(({ type }) => type === 'ended')
  const iterations = readRecord(ground.folder)
  return {
    completed: end?.outcome === 'completed',
    ending: end === undefined ? `exit code ${ended.code}: ${ended.err.slice(-300)}` : `${end.outcome}/${end.ending}`,
    reason: end?.reason ?? ended.err.slice(-300),
    missing: end?.missing ?? [],
    started: iterations.length,
    iterations,
    finalTree: keepTree(ground.dir, ground.trees),
    ownMs: overheadOf(events),
  }
}

function eventIn(line) {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** For each iteration the time from start to decision, without the agent and one run of the tests. */
function overheadOf(events) {
  const found = []
  let startedAt
  let agentMs = 0
  for (const event of events) {
    if (event.type === 'iteration') startedAt = event.at
    if (event.type === 'agent-ended') agentMs = event.result.ms
    if (event.type === 'decided' && startedAt !== undefined) found.push(event.at - startedAt - agentMs)
  }
  return found
}
