import { median } from './median.mjs'
import { wilson } from './statistics.mjs'

const byRule = ({ stop }) => stop !== undefined && stop.rule !== 'provider'
const sum = (values) => values.reduce((total, value) => total + value, 0)
const inTime = (runs) => runs.flatMap(({ wasted }) => (wasted === undefined || wasted < 0 ? [] : [wasted]))

/** Lost runs and good ones; those without such a label are the others. Waiting for a provider is not a false stop. */
export function summary(kind, runs) {
  const good = runs.filter(({ label }) => kind.healthy(label))
  const others = runs.filter(({ label }) => kind.open(label))
  const lost = runs.filter(({ label }) => !kind.healthy(label) && !kind.open(label))
  return {
    lost: lost.length,
    caught: lost.filter(({ stop }) => stop !== undefined).length,
    wasted: sum(lost.map((run) => (run.stop === undefined ? run.iterations - run.onset : Math.max(0, run.wasted)))),
    early: lost.filter(({ wasted }) => wasted < 0).length,
    good: good.length,
    falseStops: good.filter(byRule).length,
    others: others.length,
    othersStopped: others.filter(byRule).length,
  }
}

const LABELS = ['runs', 'iterations', 'stopped', '95 %', 'wasted', 'most', 'early', 'not run', 'false']

/** One row per label: how many runs were stopped, after how many lost iterations, and by which rules. */
export function printLabels(kind, runs, print) {
  print(table('label', LABELS, '  by rule'))
  return [...new Set(runs.map(({ label }) => label))].sort().map((label) => {
    const own = runs.filter((run) => run.label === label)
    const stopped = own.filter(({ stop }) => stop !== undefined)
    const wasted = inTime(stopped)
    const rules = rulesOf(stopped)
    const figure = {
      label,
      runs: own.length,
      iterations: sum(own.map(({ iterations }) => iterations)),
      stopped: stopped.length,
      interval: wilson(stopped.length, own.length).map((share) => Math.round(share * 100)),
      wasted: wasted.length === 0 ? null : median(wasted),
      most: wasted.length === 0 ? null : Math.max(...wasted),
      early: stopped.filter((run) => run.wasted < 0).length,
      notRun: sum(stopped.map(({ iterations, stop }) => iterations - stop.at - 1)),
      falseStops: kind.healthy(label) ? stopped.filter(byRule).length : null,
      rules,
    }
    const { interval, rules: _rules, label: _label, ...cells } = figure
    const { runs: n, iterations, stopped: s, ...rest } = cells
    print(table(label, [n, iterations, s, interval.join('-'), ...Object.values(rest)], `  ${named(rules)}`))
    return figure
  })
}

/** Thresholds or presets side by side, including their effect on runs that are neither lost nor good. */
export function printSummaries(head, rows, print) {
  print(`\n${table(head, ['caught', 'wasted', 'early', 'false', 'others'])}`)
  for (const { title, caught, lost, wasted, early, falseStops, good, others, othersStopped } of rows)
    print(
      table(title, [
        `${caught} of ${lost}`,
        wasted,
        early,
        `${falseStops} of ${good}`,
        `${othersStopped} of ${others}`,
      ]),
    )
}

const WIDTH = 11
const table = (first, cells, last = '') =>
  `  ${first.padEnd(24)}${cells.map((cell) => ` ${String(cell ?? '-').padStart(WIDTH - 1)}`).join('')}${last}`

function rulesOf(stopped) {
  const counts = {}
  for (const { stop } of stopped) counts[stop.rule] = (counts[stop.rule] ?? 0) + 1
  return Object.fromEntries(Object.entries(counts).sort(([, one], [, two]) => two - one))
}

const named = (rules) =>
  Object.entries(rules)
    .map(([rule, n]) => `${rule} ${n}`)
    .join(', ')
