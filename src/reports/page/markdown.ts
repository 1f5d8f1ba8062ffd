import { amountText, durationText } from '../live/duration.ts'
import { painter, plain, type Style } from '../verdict-text.ts'
import type { Iteration, Report, Shown, Tampering } from './types.ts'

const GIST = 110

/** The whole run in a few lines: which key turned in which iteration, and what was missing. */
export function shortReport(report: Report, style: Style): string {
  const paint = painter(style)
  const { iterations, totals, end } = report
  const tones = { yes: 'green', no: 'red', unknown: 'yellow' } as const
  const rows = iterations.map(({ n, claim, proof, refused, missing, verdict, failed }) => {
    const told = plain(failed ?? (refused ? missing[0] : undefined) ?? verdict)
    const gist = told.length <= GIST ? told : `${told.slice(0, GIST)}...`
    const key = (name: string, answer: typeof claim) => `${name} ${paint(answer.padEnd(7), tones[answer])}`
    return `  ${String(n).padStart(3)}  ${key('claim', claim)} ${key('proof', proof)} ${refused ? 'refused: ' : ''}${gist}`
  })
  const ended = end === undefined ? 'not finished' : `${end.outcome}/${end.ending}`
  return [
    `Report: ${ended} after ${totals.iterations} iterations and ${durationText((end?.at ?? report.seenAt) - report.startedAt)}, ${totals.refused} of ${totals.claims} claims refused`,
    ...rows,
    '',
  ].join('\n')
}

/** A comment on a pull request may have 65,536 characters. */
const MOST_CHARACTERS = 60_000
const MOST_ITERATIONS = 40
const MOST_ITEMS = 20
const SIGNS = { yes: '✅', no: '❌', unknown: '❔' } as const

/** The report for a pull request: the end and the reason first, everything else behind a fold. */
export function markdownReport(report: Report): string {
  const { end, totals, next } = report
  const last = report.iterations.at(-1)
  const lines = [
    `## ${signOf(report)} exitgate: ${titleOf(report)}`,
    '',
    escaped(end?.reason ?? 'Nothing has ended this run yet.'),
    '',
    factsOf(report),
    ...section('Still missing', end?.missing ?? last?.missing ?? []),
    ...section('What to do next', next),
    ...(last === undefined ? [] : folded(`Evidence of iteration ${last.n}`, evidenceRows(last.evidence))),
    ...folded(`Iterations (${totals.iterations}, ${totals.refused} claims refused)`, iterationRows(report.iterations)),
    ...folded(
      `Tests and what runs them (${report.tampering.length})`,
      report.tampering.slice(0, MOST_ITEMS).flatMap(tamperLines),
    ),
    ...folded('Overrides', overrideLines(report)),
    ...folded('Labels and completion confidence', learnedLines(report)),
  ]
  const text = `${lines.join('\n')}\n`
  // Cut between lines, and with every fold closed, so that what follows the comment is not inside of one.
  if (text.length <= MOST_CHARACTERS) return text
  const kept = text.slice(0, text.lastIndexOf('\n', MOST_CHARACTERS))
  const open = kept.split('<details>').length - kept.split('</details>').length
  return `${kept}\n${'\n</details>\n'.repeat(Math.max(0, open))}\n(cut here; exitgate report has all of it)\n`
}

function signOf({ end }: Report): string {
  if (end?.outcome === 'completed') return end.ending === 'verified' ? SIGNS.yes : SIGNS.unknown
  return end === undefined || end.outcome === 'interrupted' ? SIGNS.unknown : SIGNS.no
}

function titleOf({ end }: Report): string {
  if (end === undefined) return 'not finished'
  return end.ending === 'forced' ? 'completed/forced, not verified' : `${end.outcome}/${end.ending}`
}

function factsOf({ totals, startedAt, seenAt, end, preset, run }: Report): string {
  const { spent } = totals
  return [
    `${totals.iterations} iterations in ${durationText((end?.at ?? seenAt) - startedAt)}`,
    `${totals.refused} of ${totals.claims} claims refused`,
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
  const rows = evidence.map(
    ({ check, answer, detail }) => `| ${escaped(check)} | ${SIGNS[answer]} ${answer} | ${escaped(detail)} |`,
  )
  return ['| check | answer | detail |', '|---|---|---|', ...rows]
}

function iterationRows(iterations: readonly Iteration[]): readonly string[] {
  if (iterations.length === 0) return []
  const left = iterations.length - MOST_ITERATIONS
  const rows = iterations
    .slice(-MOST_ITERATIONS)
    .map(({ n, claim, proof, verdict, refused, failed, missing, reason }) => {
      const told = failed ?? (refused ? missing[0] : undefined) ?? reason
      return `| ${n} | ${SIGNS[claim]} ${claim} | ${SIGNS[proof]} ${proof} | ${escaped(verdict)} | ${escaped(told, 200)} |`
    })
  return [
    ...(left > 0 ? [`The last ${MOST_ITERATIONS}; ${left} before them are left out.`, ''] : []),
    '| iteration | claim | proof | verdict | why |',
    '|---|---|---|---|---|',
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
    `${good + bad} labelled runs (${good} good, ${bad} bad): Brier score ${brier.toFixed(3)}, calibration error ${error.toFixed(3)}.`,
    '',
    '| confidence | said | was good | runs |',
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
