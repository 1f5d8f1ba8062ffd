// What can be measured from the text of an ending alone. Each measure is one number; higher means "more likely done".

const count =
  (...groups) =>
  ({ signals }) =>
    signals.phrases.filter((phrase) => groups.includes(phrase.split(':')[0])).length

const less = (measure) => (seen) => -measure(seen)

/** A measure of a preset as the engine computes it; 0 if the preset has none for silence. */
const ofPreset = (preset, name) => (seen) => seen.verdicts[preset].measures[name] ?? 0

const speaksOfDone = (seen) => count('cub', 'doyaken', 'ralph-done')(seen) > 0

/** The guess of the corpus's authors by their own patterns: not our measure, but a reference for what text can reveal. */
const GUESSES = { success: 1, success_with_hedge: 0.5, admits_problem: -1 }

/** `percent`: the number is a confidence from 0 to 100, so its calibration can be checked. */
export const MEASURES = [
  { title: 'completion phrases', of: count('cub', 'doyaken', 'ralph-done') },
  { title: 'certainty phrases', of: count('certain', 'sure') },
  { title: 'hedges, fewer', of: less(count('hedge', 'likely', 'unsure')) },
  { title: 'fewer trouble phrases', of: less(count('error')) },
  { title: 'questions, fewer', of: less(count('ralph-question')) },
  { title: 'explicit claim', of: ({ signals }) => (signals.claim === true ? 1 : 0) },
  { title: 'vetoes, fewer', of: ({ signals }) => -signals.vetoes.length },
  { title: 'length, shorter', of: ({ signals }) => -signals.length },
  { title: 'default: confidence', of: ofPreset('default', 'confidence'), percent: true },
  { title: 'cub: indicators', of: ofPreset('cub', 'textIndicators') },
  { title: 'doyaken: score', of: ofPreset('doyaken', 'score'), percent: true },
  { title: 'blackbox: confidence', of: ofPreset('blackbox', 'confidence'), percent: true },
  { title: 'blackbox: errors, fewer', of: less(ofPreset('blackbox', 'errors')) },
  { title: 'ralph: done signal', of: ofPreset('ralph', 'doneSignals') },
  { title: "the corpus's own guess", of: ({ guess }) => GUESSES[guess] ?? 0 },
]

/** Which endings one would believe, by measure and threshold. */
export const BELIEVED = [
  { title: 'every ending', when: () => true },
  { title: 'has a completion phrase', when: speaksOfDone },
  {
    title: 'and no hedge, no trouble',
    when: (seen) => speaksOfDone(seen) && count('hedge', 'likely', 'unsure', 'error')(seen) === 0,
  },
  { title: 'explicit claim (default)', when: ({ signals }) => signals.claim === true && signals.vetoes.length === 0 },
  { title: 'cub: 2 indicators', when: (seen) => ofPreset('cub', 'textIndicators')(seen) >= 2 },
  { title: 'doyaken: score of 70', when: (seen) => ofPreset('doyaken', 'score')(seen) >= 70 },
  { title: 'blackbox: confidence of 70', when: (seen) => ofPreset('blackbox', 'confidence')(seen) >= 70 },
  { title: "the corpus's guess: success", when: ({ guess }) => guess === 'success' },
  { title: 'ralph: done signal', when: (seen) => ofPreset('ralph', 'doneSignals')(seen) > 0 },
]

/** Presets that measure text; `gsd` and `prp` don't. */
const PRESETS = ['default', 'cub', 'doyaken', 'blackbox', 'ralph']

/** One ending as the engine sees it with text only. */
export function seenBy(api, text) {
  const reader = api.openReader('text')
  reader.write(Buffer.from(text))
  const transcript = reader.end()
  const verdicts = {}
  let signals
  for (const preset of PRESETS) {
    const policy = policyOf(api, preset)
    const read = api.read(transcript, policy.reading)
    signals ??= read
    verdicts[preset] = api.decideIteration(api.start(), api.observation(read, {}), policy, 0).verdict
  }
  return { signals, verdicts }
}

const policies = new Map()
function policyOf(api, preset) {
  if (!policies.has(preset)) policies.set(preset, api.policyFor(api.configure({ preset })))
  return policies.get(preset)
}
