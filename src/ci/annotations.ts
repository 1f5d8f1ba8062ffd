import { checkTitle } from '../core/policy/check-text.ts'
import { verdictSentence } from '../core/policy/ending-text.ts'
import { type CheckedChange, isVerified, unmetChecks } from './checked-change.ts'

/** GitHub shows at most ten annotations of a kind per step; the report has all of them. */
const MAX_ANNOTATIONS = 10

/**
 * GitHub Actions workflow commands, one per line. They contain file names and text of the change, so everything that could end a
 * line, a command or a property is escaped.
 */
export function annotations(change: CheckedChange): readonly string[] {
  const { findings, verdict } = change
  const placed = findings.map(({ severity, file, line, kind, detail }) =>
    command(severity === 'block' ? 'error' : 'warning', detail, { file, line, title: `exitgate: ${kind}` }),
  )
  if (isVerified(change)) return placed.filter((each) => each.startsWith('::warning')).slice(0, MAX_ANNOTATIONS)
  const unplaced = unmetChecks(change)
    .filter(([check]) => check !== 'tampering' || findings.length === 0)
    .map(([check, detail]) =>
      command('error', detail, {
        file: check === 'checklist' ? change.plan : undefined,
        title: `exitgate: ${checkTitle(check)}`,
      }),
    )
  const why = command('error', verdictSentence(verdict), { title: `exitgate: ${verdict.rule}` })
  const sorted = [...placed.filter((each) => each.startsWith('::error')), ...unplaced, why]
  return [
    ...sorted.slice(0, MAX_ANNOTATIONS),
    ...placed.filter((each) => each.startsWith('::warning')).slice(0, MAX_ANNOTATIONS),
  ]
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

/** Makes text safe for a job's log. The runner looks for commands at the start of any line, and for the older form anywhere. */
export function withoutCommands(text: string): string {
  return text.replaceAll('##[', '## [').replace(/^([^\S\n]*):(?=:)/gm, '$1:\u200b')
}
