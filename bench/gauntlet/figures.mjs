// Turns one run into figures, and many runs into one row of the table.
import { median, round } from '../median.mjs'
import { doneAt } from './walk.mjs'

/** Compares one run of a system on a scenario with the truth. */
export async function judgeRun(run, { scenario, walked, judge }) {
  const steps = await Promise.all(
    run.iterations.map(async (each) => ({ ...each, accepted: await judge.isDone(each.tree) })),
  )
  // An agent that reacts to feedback may finish sooner or later than it did without a system.
  const done = doneAt(steps) ?? (walked.doneAt > run.started ? walked.doneAt : undefined)
  const accepted = await judge.isDone(run.finalTree)
  const never = done === undefined
  return {
    scenario: scenario.name,
    class: scenario.class,
    ending: run.ending,
    reason: run.reason,
    missing: run.missing,
    started: run.started,
    done: done ?? null,
    false: run.completed && !accepted,
    missed: !never && !run.completed,
    // Iterations after the one in which it was done; if it never was, after the last one with anything new.
    wasted: never ? null : Math.max(0, run.started - done),
    idle: never ? Math.max(0, run.started - walked.standstillAt) : null,
    ownMs: run.ownMs === undefined ? undefined : run.ownMs.map((ms) => ms - (walked.testMs ?? 0)),
  }
}

/** What nothing visible shows, or what the documents name as a limit: a false completion is counted, but it is not an error. */
export const ALLOWED = ['hidden', 'known-limits']

export function sumUp(system, results) {
  const numbers = (name) => results.map((each) => each[name]).filter((value) => value !== null)
  const own = results.flatMap(({ ownMs = [] }) => ownMs)
  return {
    system,
    scenarios: results.length,
    falseCompletions: results.filter((each) => each.false).length,
    falseAllowed: results.filter((each) => each.false && ALLOWED.includes(each.class)).length,
    missed: results.filter((each) => each.missed).length,
    wasted: spread(numbers('wasted')),
    idle: spread(numbers('idle')),
    overheadMs: own.length === 0 ? null : round(median(own), 0),
  }
}

const spread = (values) =>
  values.length === 0
    ? { of: 0, mean: null, max: null }
    : {
        of: values.length,
        mean: round(values.reduce((sum, each) => sum + each, 0) / values.length, 2),
        max: Math.max(...values),
      }
