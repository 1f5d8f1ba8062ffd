import { count } from '../../core/count.ts'
import { ANSWER_TEXT, checkTitle, failureTitle } from '../../core/policy/check-text.ts'
import { endingText } from '../../core/policy/ending-text.ts'
import { amountText, durationText } from '../live/duration.ts'
import { painter, plain, type Style } from '../verdict-text.ts'
import type { Iteration, Report, Shown, Tampering } from './types.ts'

const GIST = 180

/** The whole run in a few lines: each iteration with its verdict. */
export function shortReport(report: Report, style: Style): string {
  const paint = painter(style)
  const { iterations, totals, end } = report
  const rows = iterations.map(({ n, claim, proof, reason, action }) => {
    const text = plain(reason)
    const tone = action === 'stop' && claim === 'yes' && proof === 'yes' ? 'green' : 'yellow'
    return `  ${String(n).padStart(2)}. ${paint(text.length <= GIST ? text : `${text.slice(0, GIST)}...`, tone)}`
  })
  const ended = end === undefined ? 'not finished' : endingText(end.ending)
  const time = durationText((end?.at ?? report.seenAt) - report.startedAt)
  return [
    `Summary: ${ended} after ${count(totals.iterations, 'iteration')} in ${time}, ${totals.refused} of ${count(totals.claims, 'claim')} rejected`,
    ...rows,
    '',
  ].join('\n')
}

/** A comment on a pull request may have 65,536 characters. */
const MOST_CHARACTERS = 60_000
const MOST_ITERATIONS = 40
const MOST_ITEMS = 20
const SIGNS = { yes: '✅', no: '❌', unknown: '❔' } as const

/** The report for a pull request: the result first, everything else in sections that fold. */
export function markdownReport(report: Report): string {
  const { end, totals, next } = report
  const last = report.iterations.at(-1)
  const lines = [
    `## ${signOf(report)} exitgate: ${titleOf(report)}`,
    '',
    escaped(end?.reason ?? 'This run has not ended yet.'),
    '',
    factsOf(report),
    ...section('Still needed', end?.missing ?? last?.missing ?? []),
    ...section('What to do next', next),
    ...(last === undefined ? [] : folded(`Checks in iteration ${last.n}`, evidenceRows(last.evidence))),
    ...folded(
      `Iterations (${totals.iterations}, ${count(totals.refused, 'claim')} rejected)`,
      iterationRows(report.iterations),
    ),
    ...folded(
      `Weakened tests and test setup (${count(report.tampering.length, 'finding')})`,
      report.tampering.slice(0, MOST_ITEMS).flatMap(tamperLines),
    ),
    ...folded('Overrides', overrideLines(report)),
    ...folded('Labels and completion confidence', learnedLines(report)),
  ]
  const text = `${lines.join('\n')}\n`
  // Cut between lines and close every fold, so that text after the comment is not inside one.
  if (text.length <= MOST_CHARACTERS) return text
  const kept = text.slice(0, text.lastIndexOf('\n', MOST_CHARACTERS))
  const open = kept.split('<details>').length - kept.split('</details>').length
  return `${kept}\n${'\n</details>\n'.repeat(Math.max(0, open))}\n(cut here; exitgate report shows everything)\n`
}

function signOf({ end }: Report): string {
  if (end?.outcome === 'completed') return end.ending === 'verified' ? SIGNS.yes : SIGNS.unknown
  return end === undefined || end.outcome === 'interrupted' ? SIGNS.unknown : SIGNS.no
}

function titleOf({ end }: Report): string {
  return end === undefined ? 'not finished' : endingText(end.ending)
}

function factsOf({ totals, startedAt, seenAt, end, preset, run }: Report): string {
  const { spent } = totals
  return [
    `${count(totals.iterations, 'iteration')} in ${durationText((end?.at ?? seenAt) - startedAt)}`,
    `${totals.refused} of ${count(totals.claims, 'claim')} rejected`,
    ...(spent.usd > 0 ? [`$${spent.usd.toFixed(2)}`] : []),
    ...(spent.tokens > 0 ? [`${amountText(spent.tokens)} tokens`] : []),
    `preset ${escaped(preset)}`,
    ...(end === undefined || end.rule === '' ? [] : [`rule ${escaped(end.rule)}`]),
    `run ${escaped(run)}`,
  ].join(' · ')
}

function section(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return []
  const more = items.length - MOST_ITEMS
  return [
    '',
    `### ${title}`,
    '',
    ...items.slice(0, MOST_ITEMS).map((item) => `- ${escaped(item)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ]
}

function folded(title: string, inside: readonly string[]): readonly string[] {
  if (inside.length === 0) return []
  return ['', '<details>', `<summary>${title}</summary>`, '', ...inside, '', '</details>']
}

function evidenceRows(evidence: readonly Shown[]): readonly string[] {
  if (evidence.length === 0) return []
  const rows = evidence.map(({ check, answer, detail, information }) =>
    information
      ? `| ${escaped(answer === 'no' ? failureTitle(check) : checkTitle(check))} | not required | ${escaped(detail)} |`
      : `| ${escaped(checkTitle(check))} | ${SIGNS[answer]} ${ANSWER_TEXT[answer]} | ${escaped(detail)} |`,
  )
  return ['| check | result | detail |', '|---|---|---|', ...rows]
}

function iterationRows(iterations: readonly Iteration[]): readonly string[] {
  if (iterations.length === 0) return []
  const left = iterations.length - MOST_ITERATIONS
  const rows = iterations.slice(-MOST_ITERATIONS).map(({ n, claim, proof, failed, reason }) => {
    const claimed = { yes: 'done', no: 'not done', unknown: 'none' }[claim]
    return `| ${n} | ${SIGNS[claim]} ${claimed} | ${SIGNS[proof]} ${ANSWER_TEXT[proof]} | ${escaped(failed ?? reason, 300)} |`
  })
  return [
    ...(left > 0 ? [`The last ${MOST_ITERATIONS} iterations; ${left} earlier ones are left out.`, ''] : []),
    '| iteration | claim | proof | result |',
    '|---|---|---|---|',
    ...rows,
  ]
}

function tamperLines({ file, line, detail, before, after, blocks, first }: Tampering): readonly string[] {
  const place = file === undefined ? '' : `${escaped(`${file}${line === undefined ? '' : `:${line}`}`)}: `
  return [
    `- ${blocks ? '**blocks** ' : ''}${place}${escaped(detail)} (iteration ${first})`,
    ...code(before, '-', after, '+'),
  ]
}

/** Two texts in a fence that is longer than any in them. */
function code(before: string | undefined, minus: string, after: string | undefined, plus: string): readonly string[] {
  if (before === undefined && after === undefined) return []
  const signed = (text: string | undefined, sign: string) =>
    text ? text.split('\n').map((each) => `  ${sign} ${each}`) : []
  const inside = [...signed(before, minus), ...signed(after, plus)]
  const longest = Math.max(2, ...(inside.join('\n').match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return ['', `  ${fence}diff`, ...inside, `  ${fence}`, '']
}

function overrideLines({ interventions }: Report): readonly string[] {
  const found = interventions.filter(({ kind }) => kind === 'override')
  return found
    .slice(-MOST_ITEMS)
    .map(
      ({ iteration, by, what, reason }) =>
        `- iteration ${iteration}: ${escaped(by ?? 'exitgate')} ${escaped(what)}: ${escaped(reason)}`,
    )
}

function learnedLines({ label, reliability }: Report): readonly string[] {
  const said =
    label === undefined ? [] : [`This run is labelled ${label.label} by ${escaped(label.by)}: ${escaped(label.reason)}`]
  if (reliability === undefined) return said
  const { good, bad, brier, error, bins } = reliability
  return [
    ...said,
    ...(said.length > 0 ? [''] : []),
    `${count(good + bad, 'labelled run')} (${good} good, ${bad} bad): Brier score ${brier.toFixed(3)}, calibration error ${error.toFixed(3)}.`,
    '',
    '| confidence | predicted | good | runs |',
    '|---|---|---|---|',
    ...bins.map(
      ({ from, to, said: p, was, n }) => `| ${share(from)}-${share(to)} % | ${share(p)} % | ${share(was)} % | ${n} |`,
    ),
  ]
}

const share = (part: number): number => Math.round(part * 100)

/** Text from outside, escaped so that none of it becomes a link, an image, a table, a heading or a mention. */
function escaped(text: string, most = 1000): string {
  const kept = text.length <= most ? text : `${text.slice(0, most)}...`
  // A name or number after @ or # would notify or link; the joiner between them is invisible.
  return kept
    .replace(/\s+/g, ' ')
    .replace(/[@#](?=\w)/g, (mark) => `${mark}\u2060`)
    .replace(/[&<>`*_~[\]|\\$]|:(?=\/\/)|(?<=www)\.|^[-+=]|^\d+(?=[.)])/gi, (mark) =>
      [...mark].map((each) => `&#${each.charCodeAt(0)};`).join(''),
    )
}
