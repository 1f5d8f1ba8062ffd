import { durationText } from '../live/duration.ts'
import { painter, plain, type Style } from '../verdict-text.ts'
import type { Report } from './types.ts'

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
