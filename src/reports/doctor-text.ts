import { foldLine } from '../../packages/core/src/fold.ts'
import type { PreflightFact } from '../core/run.ts'

export type Condition = PreflightFact['state']

/** One thing that doctor checked. */
export type Looked = Omit<PreflightFact, 'blocks'>

/** What a test run showed. */
export interface Proof {
  readonly state: Condition
  readonly text: string
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
  /** Whether it detects failures. */
  readonly red?: Proof
}

export interface Diagnosis {
  /** Nothing important is missing. */
  readonly ok: boolean
  /** Evidence can be gathered. */
  readonly ready: boolean
  readonly things: readonly Looked[]
  readonly commands: readonly DoctorCommand[]
  /** Installed hooks, each tested. */
  readonly hooks: readonly Looked[]
  /** What is not protected. */
  readonly unprotected: readonly Looked[]
  /** What to do first, if something is missing. */
  readonly remedy?: string
}

const WORDS: Readonly<Record<Condition, string>> = { good: 'ok', note: 'note', bad: 'missing' }
const COLOURS: Readonly<Record<Condition, number>> = { good: 32, note: 33, bad: 31 }

export function doctorText(
  diagnosis: Diagnosis,
  options: { readonly color: boolean; readonly columns?: number },
): string {
  const { ok, ready, things, commands, hooks, unprotected, remedy } = diagnosis
  const paint = (code: number, text: string) => (options.color ? `\u001b[${code}m${text}\u001b[39m` : text)
  const mark = (state: Condition) => paint(COLOURS[state], WORDS[state].padEnd(7))
  const more = (text: string | undefined) => (text === undefined ? [] : [`          ${text}`])
  const lineOf = (thing: Looked) => [
    `  ${mark(thing.state)} ${thing.name.padEnd(14)} ${thing.text}`,
    ...more(thing.remedy),
  ]
  const lines = things.flatMap(lineOf)
  const folders = new Set(commands.map(({ cwd }) => cwd)).size
  const heading = `  commands${folders > 1 ? ` in ${folders} folders` : ''}`
  lines.push('', commands.length === 0 ? '  no commands found' : heading)
  for (const each of commands) {
    const place = each.cwd === '' ? '' : `  (in ${each.cwd})`
    lines.push(`  ${mark(worse(each.state, each.red?.state))} ${each.kind.padEnd(14)} ${each.command}${place}`)
    lines.push(
      ...more(each.why),
      ...more(each.results),
      ...more(each.state === 'good' ? undefined : each.text),
      ...more(each.remedy),
      ...more(each.red?.text),
      ...more(each.red?.remedy),
    )
  }
  if (hooks.length > 0) lines.push('', '  hooks', ...hooks.flatMap(lineOf))
  if (unprotected.length > 0) lines.push('', '  not protected', ...unprotected.flatMap(lineOf))
  const bad = ready ? 'Something important is missing.' : "Not ready: exitgate can't verify work here yet."
  const end = ok ? 'Ready: exitgate can verify work here.' : `${bad} ${remedy ?? ''}`.trimEnd()
  const folded = (line: string, indent = INDENT) => foldLine(line, options.columns ?? Number.POSITIVE_INFINITY, indent)
  const last = folded(end, '').map((line) => paint(ok ? 32 : 31, line))
  return `${[...lines.flatMap((line) => folded(line)), '', ...last].join('\n')}\n`
}

const INDENT = '            '

const RANKS: readonly Condition[] = ['good', 'note', 'bad']
const worse = (a: Condition, b: Condition = 'good'): Condition => (RANKS.indexOf(a) > RANKS.indexOf(b) ? a : b)
