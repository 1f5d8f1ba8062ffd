import { count } from '../../../packages/core/src/count.ts'
import {
  escaped,
  fenced,
  fitted,
  folded,
  open,
  type Section,
  sentence,
} from '../../../packages/core/src/markdown-text.ts'
import { PROOF_HEADS } from '../../../packages/exitgate/src/checks/proven.ts'
import type { FileDiff } from '../../core/file-diff.ts'
import { ANSWER_TEXT, checkTitle, failureTitle } from '../../core/policy/check-text.ts'
import { endingText } from '../../core/policy/ending-text.ts'
import type { Spent } from '../../core/types.ts'
import { amountText, durationText } from '../live/duration.ts'
import { CLAIM_TEXT } from '../plain-words.ts'
import { painter, plain, type Style } from '../verdict-text.ts'
import type { Accepted, Handoff, Proven, Refusal, Report, RunCommit, RunWork, Shown, Tampering } from './types.ts'

/** The whole run in a few lines: each iteration with its verdict. */
export function shortReport(report: Report, style: Style): string {
  const paint = painter(style)
  const { iterations, totals, end } = report
  const rows = iterations.map(({ n, claim, proof, reason, action }) => {
    const tone = action === 'stop' && claim === 'yes' && proof === 'yes' ? 'green' : 'yellow'
    return `  ${String(n).padStart(2)}. ${paint(plain(reason), tone)}`
  })
  const ended = end === undefined ? 'not finished' : endingText(end.ending, end.cause)
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
const MOST_FILE_CHARACTERS = 4_000
const SIGNS = { yes: '✅', no: '❌', unknown: '❔' } as const

/** The report for a pull request: the result and what to do first, everything else in sections that fold. */
export function markdownReport(report: Report): string {
  const { end, work, iterations, refusals, tampering, accepted, proven } = report
  const last = iterations.at(-1)
  const needed = end?.missing ?? last?.missing ?? []
  const top = [
    `## ${signOf(report)} exitgate: ${titleOf(report)}`,
    '',
    ...(report.task === undefined ? [] : [`**Task:** ${escaped(report.task)}`, '']),
    escaped(end?.reason ?? 'This run has not ended yet.'),
    '',
    ...(end?.words ?? []).flatMap(([name, text]) => [`The ${name}: ${escaped(text)}`, '']),
    factsOf(report),
    '',
  ]
  const isVerified = end?.ending === 'verified'
  return fitted(
    [
      { before: [], blocks: [top.join('\n')], after: [] },
      open('Still needed', items(needed)),
      open('What to do next', isVerified && work?.take ? [] : items(report.next)),
      open('Merge or discard', handoffBlocks(work)),
      open(isVerified ? 'Proven' : 'What passed in the last iteration', proven.flatMap(provenLines)),
      {
        ...open(
          'Proof',
          proven.flatMap(({ table = [] }) => table.map(rowLine)),
        ),
        before: PROOF,
      },
      open(`Rejected on the way: ${count(report.totals.refused, 'claim')}`, refusals.map(refusalLine)),
      folded(`Changes (${changesTitle(work)})`, (work?.total?.files ?? []).map(fileBlock), noteOf(work)),
      folded(`Commits (${work?.commits.length})`, (work?.commits ?? []).map(commitLine)),
      folded(`Accepted findings (${accepted.length})`, accepted.map(acceptedLine)),
      ...(last === undefined ? [] : [folded(`Checks in iteration ${last.n}`, evidenceRows(last.evidence), CHECKS)]),
      iterationSection(report),
      folded(`Findings (${tampering.length})`, tampering.map(tamperBlock)),
      folded('Overrides', overrideLines(report)),
      open('Label', labelLines(report)),
    ],
    MOST_CHARACTERS,
  )
}

const items = (texts: readonly string[]): readonly string[] => texts.map((text) => `- ${sentence(text)}`)

function signOf({ end }: Report): string {
  if (end?.outcome === 'completed') return end.ending === 'verified' ? SIGNS.yes : SIGNS.unknown
  return end === undefined || end.outcome === 'interrupted' ? SIGNS.unknown : SIGNS.no
}

function titleOf({ end }: Report): string {
  return end === undefined ? 'not finished' : endingText(end.ending, end.cause)
}

function factsOf({ totals, startedAt, seenAt, end, preset, run }: Report): string {
  return [
    `${count(totals.iterations, 'iteration')} in ${durationText((end?.at ?? seenAt) - startedAt)}`,
    `${totals.refused} of ${count(totals.claims, 'claim')} rejected`,
    ...spentTexts(totals.spent),
    `preset ${escaped(preset)}`,
    `run ${escaped(run)}`,
  ].join(' · ')
}

const spentTexts = ({ usd, tokens }: Spent): readonly string[] => [
  ...(usd > 0 ? [`$${usd.toFixed(2)}`] : []),
  ...(tokens > 0 ? [`${amountText(tokens)} tokens`] : []),
]

function handoffBlocks(work: RunWork | undefined): readonly string[] {
  const block = (title: string, handoff: Handoff | undefined): readonly string[] => {
    if (handoff === undefined) return []
    const { text, command } = handoff
    return [`${title}: ${sentence(text)}${command === undefined ? '' : `\n\n${fenced('sh', [command])}`}\n`]
  }
  return [
    ...block('Take the work', work?.take),
    ...block('Or open a pull request', work?.pullRequest),
    ...block('Throw it away', work?.discard),
  ]
}

const PROOF = ['### Proof', '', `| ${PROOF_HEADS.join(' | ')} |`, '| --- | --- | --- | --- |']
const rowLine = (cells: readonly string[]): string => `| ${cells.map((cell) => escaped(cell)).join(' | ')} |`

function provenLines({ title, detail, tests = [], caveat }: Proven): readonly string[] {
  return [
    `- ${caveat ? SIGNS.unknown : SIGNS.yes} ${escaped(title)}: ${escaped(detail)}`,
    ...tests.map((name) => `  - newly passing: ${escaped(name)}`),
  ]
}

const refusalLine = ({ first, last, times, reason }: Refusal): string => {
  const where = first === last ? `Iteration ${first}` : `Iterations ${first} to ${last} (${times} times)`
  return `- ${where}: ${escaped(reason)}`
}

function changesTitle(work: RunWork | undefined): string {
  const { files = [], added = 0, removed = 0 } = work?.total ?? {}
  return `${count(files.length, 'file')}, +${added} -${removed}`
}

const noteOf = (work: RunWork | undefined): readonly string[] => (work?.note ? [escaped(work.note), ''] : [])

/** A file with its diff, or with the beginning of it. */
function fileBlock({ path, from, status, mode, added, removed, hunks, why }: FileDiff): string {
  const how = [
    from === undefined ? status : `renamed from ${escaped(from)}`,
    ...(mode ? [`mode ${mode.join(' to ')}`] : []),
  ]
  const title = `**${escaped(path)}** ${how.join(', ')}, +${added} -${removed}${why === undefined ? '' : ` (${escaped(why)})`}\n`
  if (hunks === undefined) return title
  const end = hunks.lastIndexOf('\n', MOST_FILE_CHARACTERS)
  const kept = hunks.length <= MOST_FILE_CHARACTERS ? hunks : hunks.slice(0, Math.max(end, 0))
  const cut = kept.length < hunks.length ? '\nThe rest of this file is left out.\n' : ''
  return `${title}\n${fenced('diff', kept.trimEnd().split('\n'))}\n${cut}`
}

const commitLine = ({ id, subject }: RunCommit): string => `- ${id.slice(0, 12)} ${escaped(subject, 200)}`

const acceptedLine = ({ id, detail, by, reason }: Accepted): string =>
  `- ${escaped(id)}: ${escaped(detail)} Accepted by ${escaped(by)}: ${escaped(reason)}`

const CHECKS = ['| check | result | detail |', '|---|---|---|']

function evidenceRows(evidence: readonly Shown[]): readonly string[] {
  return evidence.map(({ check, title = checkTitle(check), answer, detail, information }) =>
    information
      ? `| ${escaped(answer === 'no' ? failureTitle(check) : checkTitle(check))} | not required | ${escaped(detail)} |`
      : `| ${escaped(title)} | ${SIGNS[answer]} ${ANSWER_TEXT[answer]} | ${escaped(detail)} |`,
  )
}

function iterationSection({ iterations, totals }: Report): Section {
  const left = iterations.length - MOST_ITERATIONS
  const rows = iterations.slice(-MOST_ITERATIONS).map(({ n, claim, proof, failed, reason, spent }) => {
    const cost = [durationText(spent.ms), ...spentTexts(spent)].join(', ')
    return `| ${n} | ${CLAIM_TEXT[claim]} | ${SIGNS[proof]} ${ANSWER_TEXT[proof]} | ${cost} | ${escaped(failed ?? reason, 300)} |`
  })
  return folded(`Iterations (${totals.iterations}, ${count(totals.refused, 'claim')} rejected)`, rows, [
    ...(left > 0 ? [`The last ${MOST_ITERATIONS} iterations; ${left} earlier ones are left out.`, ''] : []),
    '| iteration | claim | proof | time and cost | result |',
    '|---|---|---|---|---|',
  ])
}

function tamperBlock({ file, line, detail, before, after, blocks, first }: Tampering): string {
  const place = file === undefined ? '' : `${escaped(`${file}${line === undefined ? '' : `:${line}`}`)}: `
  const signed = (text: string | undefined, sign: string) =>
    text ? text.split('\n').map((each) => `${sign} ${each}`) : []
  const changed = [...signed(before, '-'), ...signed(after, '+')]
  const title = `- ${blocks ? '**blocks** ' : ''}${place}${escaped(detail)} (iteration ${first})`
  return changed.length === 0 ? title : `${title}\n\n${fenced('diff', changed, '  ')}\n`
}

function overrideLines({ interventions }: Report): readonly string[] {
  return interventions.flatMap(({ kind, iteration, by, what, reason }) =>
    kind === 'override'
      ? [`- iteration ${iteration}: ${escaped(by ?? 'exitgate')} ${escaped(what)}: ${escaped(reason)}`]
      : [],
  )
}

const labelLines = ({ label }: Report): readonly string[] =>
  label === undefined ? [] : [`This run is labelled ${label.label} by ${escaped(label.by)}: ${escaped(label.reason)}`]
