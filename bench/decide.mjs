import { median, round } from './median.mjs'

export const name = 'decide'
export const about = 'one in-process decision through the public API, compared with JSON.parse of its facts'

// Many short turns: on a busy machine most of them are undisturbed, and so is the median.
const calls = 10
const samples = 2_000

const said =
  'The last of the three items is in place and its tests pass.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: all done\nREMAINING_WORK: none\n'
const given = {
  tests: { answer: 'yes', detail: '120 passed', counts: { total: 120, passed: 120, failed: 0, skipped: 0 } },
  changed: { answer: 'yes', detail: '4 files', counts: { files: 4 } },
  checklist: { answer: 'yes', detail: '3 of 3 items', counts: { total: 3, done: 3 } },
}

export async function run({ print }) {
  const api = await import('./library.mjs')
  const figures = {}
  print('  preset     decision  JSON.parse   ratio   verdict')
  for (const preset of Object.keys(api.PRESETS)) {
    const measured = measure(api, preset)
    figures[preset] = measured
    const { decideUs, parseUs, ratio, verdict } = measured
    const cells = [`${decideUs} us`.padStart(9), `${parseUs} us`.padStart(11), String(ratio).padStart(8)]
    print(`  ${preset.padEnd(9)} ${cells.join('')}   ${verdict}`)
  }
  return figures
}

function measure(api, preset) {
  const policy = api.policyFor(api.configure({ preset }))
  const reader = api.openReader('text')
  reader.write(Buffer.from(said))
  const { evidence } = api.readGiven(given)
  const observed = api.observation(api.read(reader.end(), policy.reading), evidence)
  // The second iteration of a run, so that there is a previous one to measure progress against.
  const first = api.decideIteration(api.start(), observed, policy, 1_000)
  const before = { ...first.after, iterations: 1, previous: observed }
  const { facts, verdict } = api.decideIteration(before, observed, policy, 2_000)
  const text = JSON.stringify(facts)
  const times = { decide: [], parse: [] }
  for (let sample = -200; sample < samples; sample += 1) {
    const decide = perCall(() => api.decideIteration(before, observed, policy, 2_000))
    const parse = perCall(() => JSON.parse(text))
    if (sample < 0) continue
    times.decide.push(decide)
    times.parse.push(parse)
  }
  const decideUs = median(times.decide)
  const parseUs = median(times.parse)
  return {
    decideUs: round(decideUs, 2),
    parseUs: round(parseUs, 2),
    ratio: round(decideUs / parseUs, 2),
    factsBytes: text.length,
    verdict: verdict.action === 'stop' ? `${verdict.outcome}/${verdict.ending}` : verdict.action,
  }
}

/** Microseconds per call over many calls, because one call is shorter than the clock's resolution. */
function perCall(work) {
  const start = performance.now()
  for (let call = 0; call < calls; call += 1) work()
  return ((performance.now() - start) * 1000) / calls
}
