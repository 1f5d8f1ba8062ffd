/** `good` needs nothing, `note` may be as it is, `bad` keeps evidence from being gathered. */
export type Condition = 'good' | 'note' | 'bad'

/** One thing that was looked at. */
export interface Looked {
  readonly name: string
  readonly state: Condition
  readonly text: string
  /** What to do about it. */
  readonly remedy?: string
}

export interface DoctorCommand extends Looked {
  readonly kind: string
  readonly command: string
  readonly cwd: string
  readonly why: string
  readonly runner?: string
  /** How its results are read. */
  readonly results?: string
}

export interface Diagnosis {
  readonly ready: boolean
  readonly things: readonly Looked[]
  readonly commands: readonly DoctorCommand[]
  /** What to do first, when it is not ready. */
  readonly remedy?: string
}

const WORDS: Readonly<Record<Condition, string>> = { good: 'ok', note: 'note', bad: 'missing' }
const COLOURS: Readonly<Record<Condition, number>> = { good: 32, note: 33, bad: 31 }

/** The diagnosis for people. */
export function doctorText(
  { ready, things, commands, remedy }: Diagnosis,
  options: { readonly color: boolean },
): string {
  const paint = (code: number, text: string) => (options.color ? `\u001b[${code}m${text}\u001b[39m` : text)
  const mark = (state: Condition) => paint(COLOURS[state], WORDS[state].padEnd(7))
  const more = (text: string | undefined) => (text === undefined ? [] : [`          ${text}`])
  const lines = things.flatMap((thing) => [
    `  ${mark(thing.state)} ${thing.name.padEnd(14)} ${thing.text}`,
    ...more(thing.remedy),
  ])
  const folders = new Set(commands.map(({ cwd }) => cwd)).size
  const heading = `  commands${folders > 1 ? ` in ${folders} folders` : ''}`
  lines.push('', commands.length === 0 ? '  no commands were found' : heading)
  for (const each of commands) {
    const place = each.cwd === '' ? '' : `  (in ${each.cwd})`
    lines.push(`  ${mark(each.state)} ${each.kind.padEnd(14)} ${each.command}${place}`)
    lines.push(
      ...more(each.why),
      ...more(each.results),
      ...more(each.state === 'good' ? undefined : each.text),
      ...more(each.remedy),
    )
  }
  const end = ready
    ? paint(32, 'Evidence can be gathered here.')
    : paint(31, `Evidence cannot be gathered yet. ${remedy ?? ''}`)
  return `${[...lines, '', end.trimEnd()].join('\n')}\n`
}
