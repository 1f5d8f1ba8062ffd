import { type CheckedChange, isVerified, unmetChecks } from './checked-change.ts'

/** The host shows no more than ten of a kind for a step; the report has all of them. */
const MOST = 10

/**
 * Workflow commands of GitHub Actions, one a line. File names and words of the change stand in them, so whatever could end the line,
 * the command or a property of it is escaped.
 */
export function annotations(judged: CheckedChange): readonly string[] {
  const { findings, verdict } = judged
  const placed = findings.map(({ severity, file, line, kind, detail }) =>
    command(severity === 'block' ? 'error' : 'warning', detail, { file, line, title: `exitgate: ${kind}` }),
  )
  if (isVerified(judged)) return placed.filter((each) => each.startsWith('::warning')).slice(0, MOST)
  const unplaced = unmetChecks(judged)
    .filter(([check]) => check !== 'tampering' || findings.length === 0)
    .map(([check, detail]) =>
      command('error', detail, {
        file: check === 'checklist' ? judged.plan : undefined,
        title: `exitgate: ${check}`,
      }),
    )
  const why = command('error', verdict.reason, { title: `exitgate: ${verdict.rule}` })
  const sorted = [...placed.filter((each) => each.startsWith('::error')), ...unplaced, why]
  return [...sorted.slice(0, MOST), ...placed.filter((each) => each.startsWith('::warning')).slice(0, MOST)]
}

interface Properties {
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly title: string
}

function command(kind: 'error' | 'warning', message: string, { file, line, title }: Properties): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(file === undefined || line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ]
  return `::${kind} ${properties.join(',')}::${data(message)}`
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** Text for people in a job's log: the runner looks for commands at the beginning of any line, and for the older form anywhere. */
export function defused(text: string): string {
  return text.replaceAll('##[', '## [').replace(/^([^\S\n]*):(?=:)/gm, '$1:\u200b')
}
