import { count } from '../../../packages/core/src/count.ts'
import type { Bin } from '../../learning/brier.ts'
import type { Lesson, Quality } from '../../learning/learn.ts'
import type { Suggestion } from '../../learning/suggest.ts'
import { plain } from '../verdict-text.ts'

const WIDTH = 20

/** Predicted against actual, one line per tenth. A perfect calibration has equal columns. */
export function reliabilityText(bins: readonly Bin[]): string {
  const lines = bins.map(({ from, to, n, said, was }) => {
    const bar = '#'.repeat(Math.round(was * WIDTH)).padEnd(WIDTH, '.')
    const range = `${percent(from)}-${percent(to)} %`.padStart(9)
    return `  ${range}  predicted ${number(said)}, actual ${number(was)}  ${bar}  ${count(n, 'run')}`
  })
  return `${lines.join('\n')}\n`
}

const percent = (share: number): number => Math.round(share * 100)
const number = (share: number): string => String(percent(share)).padStart(3)

/** What was learned from labelled runs. */
export function lessonText(lesson: Lesson, suggestions: readonly Suggestion[]): string {
  const { labels, fixed, tried, chosen } = lesson
  const many = labels.good + labels.bad
  const head = `${count(many, 'labelled run')}: ${labels.good} good, ${labels.bad} bad\n`
  const short = missingText(lesson)
  if (short !== undefined) return `${head}${short}\n`
  const rows = [
    ...(fixed === undefined ? [] : [row('fixed weights', fixed)]),
    ...tried.map(
      (each) => `${row(each.name, each)}  ${each.about}${each.name === chosen ? ' (used from now on)' : ''}`,
    ),
  ]
  const best = tried.find(({ name }) => name === chosen)
  const words =
    best === undefined
      ? 'None predicts unseen runs better than the fixed weights, so they stay.\n'
      : 'The next runs with preset default show this confidence. No rule uses it.\n'
  const picture = best ?? fixed
  return [
    head,
    `\nCompletion confidence, on runs not used for the fit (lower is better):\n${rows.join('\n')}\n${words}`,
    picture === undefined ? '' : `\n${reliabilityText(picture.bins)}`,
    `\n${suggestionsText(suggestions)}`,
  ].join('')
}

/** What is missing to learn anything; undefined if nothing is. */
export function missingText({ missing }: Lesson): string | undefined {
  const { labels, good, bad } = missing
  const parts = [
    ...(labels > 0 ? [count(labels, 'more labelled run')] : []),
    ...(good > 0 ? [`${good} more labelled good`] : []),
    ...(bad > 0 ? [`${bad} more labelled bad`] : []),
  ]
  if (parts.length === 0) return undefined
  return `Not enough labels: ${parts.join(', ')} needed (learning.minimumLabels). The fixed weights stay.`
}

const row = (name: string, { brier, error }: Quality): string =>
  `  ${name.padEnd(14)}  Brier ${brier.toFixed(3)}, calibration error ${error.toFixed(3)}`

function suggestionsText(suggestions: readonly Suggestion[]): string {
  if (suggestions.length === 0) return 'No other threshold would have done better on past runs.\n'
  const lines = suggestions.map((each) => `  ${suggestionText(each)}`)
  return `Thresholds that would have done better on past runs (exitgate lab learn --apply NAME):\n${lines.join('\n')}\n`
}

export function suggestionText(suggestion: Suggestion): string {
  const { path, from, to, runs, labelled, saved, avoided, lost, spared, opensMoreEasily } = suggestion
  const effects = [
    ...(saved > 0 ? [`${count(saved, 'iteration')} saved`] : []),
    ...(avoided > 0 ? [`${count(avoided, 'bad completion')} avoided`] : []),
    ...(spared > 0 ? [`${count(spared, 'good run')} not stopped`] : []),
    lost === 0 ? 'no other completion lost' : `${count(lost, 'other completion')} lost`,
  ]
  const warning = opensMoreEasily ? '; RUNS COMPLETE MORE EASILY' : ''
  return `${plain(path.join('.'))} ${from} -> ${to}: ${effects.join(', ')} (${count(runs, 'run')}, ${labelled} labelled)${warning}`
}
