import type { TaskResult } from '../../backlog/types.ts'
import type { Spent } from '../../core/types.ts'
import { clean } from './clean.ts'
import { amountText, durationText } from './duration.ts'
import { type Line, type Look, padLine, paintLine, span } from './line.ts'
import { marksOf } from './marks.ts'
import { endTone, endWords } from './parallel-frame.ts'
import { wrapText } from './width.ts'

export interface SummaryStyle extends Look {
  readonly columns: number
  readonly exitCode: number
  /** Whether completed branches were to be merged. */
  readonly merge: boolean
  /** The branch they would go to. */
  readonly branch?: string
}

/** A command that failed says why at its end. */
const MOST_LINES = 12

/** Who completed, who did not and why, what it cost, and where the work is: the last words of a backlog. */
export function backlogSummary(results: readonly TaskResult[], total: Spent, style: SummaryStyle): string {
  const columns = Math.max(40, Math.min(100, Math.floor(style.columns) || 80))
  const done = results.filter(({ end }) => end?.outcome === 'completed')
  const name = Math.min(24, Math.max(4, ...results.map(({ task }) => task.length)))
  const lines: readonly Line[] = [
    headLine(`${done.length} of ${results.length} tasks completed`, columns, style),
    ...results.flatMap((result) => resultLines(result, name, columns, style)),
    [],
    [span(spentText(total), 'dim')],
    ...nextLines(results, style).map((text) => [span(text)]),
  ]
  return `${lines.map((line) => paintLine(line, style)).join('\n')}\n`
}

function headLine(title: string, columns: number, style: SummaryStyle): Line {
  const { rule } = marksOf(style)
  const code = ` exit code ${style.exitCode} `
  const room = Math.max(2, columns - title.length - code.length - 6)
  const tone = style.exitCode === 0 ? 'green' : 'yellow'
  return [
    span(`${rule.repeat(2)} `, 'dim'),
    span(title, tone),
    span(` ${rule.repeat(room)}${code}${rule.repeat(2)}`, 'dim'),
  ]
}

function resultLines(result: TaskResult, name: number, columns: number, style: SummaryStyle): readonly Line[] {
  const { end, standing, waitsFor } = result
  const first = padLine([span(clean(result.task), 'bold')], name, style)
  if (end === undefined) {
    const why =
      waitsFor.length === 0 ? '' : `, ${standing === 'blocked' ? 'blocked by' : 'waits for'} ${waitsFor.join(', ')}`
    return [[...first, span('  '), span(`not begun${why}`, 'yellow')]]
  }
  const spent = [
    `${end.iterations} ${end.iterations === 1 ? 'iteration' : 'iterations'}`,
    durationText(end.total.ms),
    ...(end.total.usd > 0 ? [`$${end.total.usd.toFixed(2)}`] : []),
  ].join(', ')
  const more = end.outcome === 'completed' ? mergeWords(result) : end.reason
  const about = more === undefined ? [] : more.split('\n').flatMap((line) => wrapText(clean(line), columns - name - 4))
  const where = end.worktree === undefined ? [] : [`its work lies in ${end.worktree}`]
  return [
    [...first, span('  '), span(endWords(end), endTone(end)), span(`  ${spent}`, 'dim')],
    ...[...about.slice(-MOST_LINES), ...where].map((text): Line => [span(`${' '.repeat(name + 4)}${clean(text)}`)]),
  ]
}

/** Which of the work is not where it should be. */
function mergeWords({ end }: TaskResult): string | undefined {
  if (end?.merge === undefined) return undefined
  return end.merge.kind === 'merged' ? end.merge.detail : `${end.merge.detail}; the branch ${end.branch} is as it was`
}

const spentText = (total: Spent): string =>
  [
    `All together: ${durationText(total.ms)} of work`,
    ...(total.usd > 0 ? [`$${total.usd.toFixed(2)}`] : []),
    ...(total.tokens > 0 ? [`${amountText(total.tokens)} tokens`] : []),
  ].join(', ')

function nextLines(results: readonly TaskResult[], { merge, branch }: SummaryStyle): readonly string[] {
  const waiting = results.filter(({ end }) => end?.outcome === 'completed' && end.merge?.kind !== 'merged')
  const open = results.some(({ end }) => end?.outcome !== 'completed')
  return [
    ...(waiting.length === 0
      ? []
      : [
          `To take the completed work over${branch === undefined ? '' : ` into ${branch}`}:`,
          ...waiting.map(({ end }) => `  git merge ${end?.branch ?? ''}`),
        ]),
    ...(open ? [`To go on with the rest: the same command with --resume${merge ? ' --merge' : ''}`] : []),
  ]
}
