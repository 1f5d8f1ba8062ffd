import type { RunLabel } from '../../learning/labels.ts'
import { plain } from '../verdict-text.ts'

/** A run that is over, with its label where it has one. */
export interface LabelledRun {
  readonly run: string
  readonly ended?: { readonly outcome: string; readonly ending: string }
  readonly label: RunLabel | undefined
}

/** A line for each run that is over; the newest is the last. */
export function labelsText(rows: readonly LabelledRun[]): string {
  const cells = rows.map(({ run, ended, label }) => [
    plain(run),
    ended === undefined ? 'not over' : `${ended.outcome}/${ended.ending}`,
    label?.label ?? 'no label',
    label === undefined ? '' : `${plain(label.by)}: ${plain(label.reason)}`,
  ])
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)))
  const lines = cells.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}
