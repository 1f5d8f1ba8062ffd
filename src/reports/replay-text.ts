import { withoutTrace } from '../core/journal/event-inputs.ts'
import type { Decided } from '../core/journal/events.ts'
import type { Replayed } from '../core/journal/replay.ts'
import { headline, painter, plain, type Style } from './verdict-text.ts'

export interface ReplayCount {
  readonly decisions: number
  readonly runs: number
  readonly different: number
  /** Decisions without a configuration: they cannot be taken again. */
  readonly undecided: number
}

const LONGEST = 300

/** A decision that is another one today, for people. */
export function differenceText(replayed: Replayed, project: string | undefined, style: Style): string {
  const { event, before, decision, difference } = replayed
  const paint = painter(style)
  const label = (text: string): string => `  ${paint(text.padEnd(10), 'dim')}`
  const line = (verdict: Decided): string =>
    `${headline(verdict, paint)} (${plain(verdict.rule)}) ${plain(verdict.reason).slice(0, LONGEST)}`
  const where = project === undefined ? '' : `${plain(project)}, `
  const values = `${valueText(difference?.recorded)} -> ${valueText(difference?.today)}`
  return `${[
    paint(`${where}run ${plain(before.run ?? '?')}, iteration ${event.iteration}`, 'bold'),
    `${label('recorded')}${line(event.verdict)}`,
    `${label('today')}${line(withoutTrace(decision.verdict))}`,
    `${label('differs')}${plain(difference?.field ?? '')}: ${values}`,
  ].join('\n')}\n`
}

/** The same for programs. */
export function differenceDocument(replayed: Replayed, project: string | undefined): object {
  const { event, before, decision, difference } = replayed
  return {
    ...(project === undefined ? {} : { project }),
    run: before.run,
    iteration: event.iteration,
    recorded: event.verdict,
    today: withoutTrace(decision.verdict),
    difference,
  }
}

/** The last line: whether all is the same. */
export function replaySummary({ decisions, runs, different, undecided }: ReplayCount): string {
  const all = `${number(decisions + undecided, 'decision')} of ${number(runs, 'run')}`
  const without = undecided === 0 ? [] : [`${undecided} without a recorded configuration`]
  const said = [...(different === 0 ? [] : [`${different} decided otherwise today`]), ...without]
  return `${all}: ${said.length === 0 ? 'all the same' : said.join(', ')}\n`
}

const number = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

const valueText = (value: unknown): string =>
  value === undefined ? '(absent)' : plain(JSON.stringify(value)).slice(0, LONGEST)
