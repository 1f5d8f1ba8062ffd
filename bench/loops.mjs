import { openCorpus } from './corpus.mjs'
import { ralph, steps } from './loop-rows.mjs'
import { printLabels, printSummaries, summary } from './loop-tables.mjs'

export const name = 'loops'
export const about =
  'recorded loops of other tools, run through the engine: when a rule stops them, and whether it stops good ones'
export const corpora = [ralph.corpus, steps.corpus]

const NEVER = 1_000_000

/** Each threshold of `default` that can stop a loop, with lower and higher values. */
const THRESHOLDS = {
  asking: [2, 4, NEVER],
  blocked: [2],
  unverifiable: [2, 4],
  oscillation: [2, 4],
  'breaker.noProgress': [2, 4],
  'breaker.sameError': [4, 6],
  'breaker.denials': [2, 3],
}

export async function run({ corpus, print, api: given }) {
  const api = given ?? (await import('./library.mjs'))
  const figures = {}
  if (corpus === undefined) {
    print(
      `  ${corpora.join(', ')}: no corpus. Pass --corpus PATH, a folder with them as .jsonl or .jsonl.gz, or one of them`,
    )
    return Object.fromEntries(corpora.map((each) => [each, { corpus: 'absent' }]))
  }
  for (const kind of [ralph, steps]) {
    const { rows, absent } = openCorpus(corpus, kind.corpus, kind.isMine)
    if (absent !== undefined) print(`  ${kind.corpus}: ${absent}`)
    figures[kind.corpus] = absent === undefined ? measure(api, kind, rows, print) : { corpus: 'absent' }
  }
  return figures
}

function measure(api, kind, rows, print) {
  const simulateAll = (config) => rows.map((row) => simulate(api, kind, row, config))
  const runs = simulateAll({ preset: 'default' })
  print(`\n  ${kind.corpus}: ${rows.length} runs, preset default`)
  const labels = printLabels(kind, runs, print)
  const halves = [0, 1].map((half) => runs.filter(({ source }) => halfOf(source) === half))
  for (const [at, half] of halves.entries()) {
    const { lost, caught, good, falseStops } = summary(kind, half)
    print(
      `  half ${at + 1} of the sources: ${caught} of ${lost} lost runs caught, ${falseStops} of ${good} good ones stopped`,
    )
  }
  const thresholds = [
    { title: 'current', ...summary(kind, runs) },
    ...Object.entries(THRESHOLDS).flatMap(([path, values]) =>
      values.map((value) => ({
        title: `${path}: ${value === NEVER ? 'never' : value}`,
        ...summary(kind, simulateAll(withValue(path, value))),
      })),
    ),
  ]
  printSummaries('threshold', thresholds, print)
  const presets = Object.keys(api.PRESETS).map((preset) => ({
    title: preset,
    ...summary(kind, simulateAll({ preset })),
  }))
  printSummaries('preset', presets, print)
  for (const line of kind.foot) print(`  ${line}`)
  return { rows: rows.length, labels, halves: halves.map((half) => summary(kind, half)), thresholds, presets }
}

function withValue(path, value) {
  const [first, second] = path.split('.')
  return { preset: 'default', [first]: second === undefined ? value : { [second]: value } }
}

/** Runs one recorded loop through a policy, up to the rule that stops it. */
export function simulate(api, kind, row, config) {
  const policy = api.policyFor(api.configure({ ...config, limits: { iterations: NEVER, minutes: NEVER } }))
  const iterations = kind.iterations(row)
  const run = {
    id: row.id,
    source: row.task ?? row.source ?? row.id,
    label: kind.label(row),
    iterations: iterations.length,
    onset: kind.onset(row),
    refused: [],
  }
  let before = api.start()
  let decided = 0
  for (const [at, iteration] of iterations.entries()) {
    const transcript = transcribe(api, iteration)
    if (isRefused(transcript)) {
      run.refused.push(at)
      continue
    }
    const observed = observe(api, transcript, iteration, policy)
    const { verdict, after } = api.decideIteration(before, observed, policy, iteration.at)
    decided += 1
    if (verdict.action === 'stop') return stopped(run, { at, rule: verdict.rule, ending: verdict.ending })
    before = { ...after, iterations: decided, previous: observed }
  }
  return stopped(run, undefined)
}

/** If the run waited for the provider before a rule stopped it, wasted iterations count up to the first of the two. */
function stopped(run, stop) {
  const refused = run.refused.find((at) => at >= (run.onset ?? 0))
  const held = refused !== undefined && (stop === undefined || refused < stop.at)
  const first = held ? { at: refused, rule: 'provider', ending: 'waits' } : stop
  if (first === undefined) return run
  return { ...run, stop: first, ...(run.onset === undefined ? {} : { wasted: first.at - run.onset }) }
}

function transcribe(api, { bytes, format }) {
  const reader = api.openReader(format)
  reader.write(bytes)
  return reader.end()
}

/** A usage limit or a missing login in the stream itself: the loop waits or ends, and the iteration is not counted. */
function isRefused({ errors }) {
  return errors.some(({ kind, inWords: reasonOf }) => (kind === 'limit' || kind === 'auth') && reasonOf !== true)
}

const FAILURES = ['api', 'refusal', 'other']

function observe(api, transcript, { tree, ms }, policy) {
  const evidence = { clean: { check: 'clean', answer: 'unknown', detail: 'the row does not show it', ms: 0, tree } }
  const error = transcript.errors.findLast(({ kind, inWords }) => FAILURES.includes(kind) && inWords !== true)
  const failed = error === undefined ? {} : { failed: { reason: error.message } }
  const spent = { ms, tokens: 0, usd: 0 }
  return api.observation(api.read(transcript, policy.reading), evidence, { spent, ...failed })
}

/**
 * Splits the sources into two halves by name, because a result in only one half is chance. Tune on one half without reading the
 * other.
 */
function halfOf(source) {
  let sum = 0
  for (const character of source) sum = (sum * 31 + character.charCodeAt(0)) % 65_521
  return sum % 2
}
