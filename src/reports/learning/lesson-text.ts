import type { Bin } from '../../learning/brier.ts'
import type { Lesson, Quality } from '../../learning/learn.ts'
import type { Suggestion } from '../../learning/suggest.ts'
import { plain } from '../verdict-text.ts'

const WIDTH = 20

/** What was said against what was so, a line for each tenth: on a straight line both columns would be alike. */
export function reliabilityText(bins: readonly Bin[]): string {
  const lines = bins.map(({ from, to, n, said, was }) => {
    const bar = '#'.repeat(Math.round(was * WIDTH)).padEnd(WIDTH, '.')
    const range = `${percent(from)}-${percent(to)} %`.padStart(9)
    return `  ${range}  said ${number(said)}, was ${number(was)}  ${bar}  ${n} ${n === 1 ? 'run' : 'runs'}`
  })
  return `${lines.join('\n')}\n`
}

const percent = (share: number): number => Math.round(share * 100)
const number = (share: number): string => String(percent(share)).padStart(3)

/** What the labelled runs teach, for people. */
export function lessonText(lesson: Lesson, suggestions: readonly Suggestion[]): string {
  const { labels, fixed, tried, chosen } = lesson
  const many = labels.good + labels.bad
  const head = `${many} labelled ${many === 1 ? 'run' : 'runs'}: ${labels.good} good, ${labels.bad} bad\n`
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
      ? 'None tells unseen runs better than the fixed weights, so these stay.\n'
      : 'The confidence of the next run of default is shown by it; no rule asks it.\n'
  const picture = best ?? fixed
  return [
    head,
    `\nCompletion confidence, judged by runs that a fit had not seen (less is better):\n${rows.join('\n')}\n${words}`,
    picture === undefined ? '' : `\n${reliabilityText(picture.bins)}`,
    `\n${suggestionsText(suggestions)}`,
  ].join('')
}

/** In one sentence what is missing before anything can be learned; nothing when all is there. */
export function missingText({ missing }: Lesson): string | undefined {
  const { labels, good, bad } = missing
  const parts = [
    ...(labels > 0 ? [`${labels} more labelled ${labels === 1 ? 'run' : 'runs'}`] : []),
    ...(good > 0 ? [`${good} more labelled good`] : []),
    ...(bad > 0 ? [`${bad} more labelled bad`] : []),
  ]
  if (parts.length === 0) return undefined
  return `Too few to learn from: ${parts.join(', ')} needed (learning.minimumLabels). The fixed weights stay.`
}

const row = (name: string, { brier, error }: Quality): string =>
  `  ${name.padEnd(14)}  Brier ${brier.toFixed(3)}, calibration error ${error.toFixed(3)}`

function suggestionsText(suggestions: readonly Suggestion[]): string {
  if (suggestions.length === 0) return 'No other threshold would have served the past better.\n'
  const lines = suggestions.map((each) => `  ${suggestionText(each)}`)
  return `Thresholds that would have served the past better (exitgate lab learn --apply NAME):\n${lines.join('\n')}\n`
}

export function suggestionText(suggestion: Suggestion): string {
  const { path, from, to, runs, labelled, saved, avoided, lost, spared, opensMoreEasily } = suggestion
  const effects = [
    ...(saved > 0 ? [`${saved} iterations saved`] : []),
    ...(avoided > 0 ? [`${avoided} bad ${avoided === 1 ? 'completion' : 'completions'} avoided`] : []),
    ...(spared > 0 ? [`${spared} good ${spared === 1 ? 'run' : 'runs'} not stopped`] : []),
    lost === 0 ? 'no other completion lost' : `${lost} other ${lost === 1 ? 'completion' : 'completions'} lost`,
  ]
  const warning = opensMoreEasily ? '; THE GATE OPENS MORE EASILY' : ''
  return `${plain(path.join('.'))} ${from} -> ${to}: ${effects.join(', ')} (${runs} runs, ${labelled} labelled)${warning}`
}
