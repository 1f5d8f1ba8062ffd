import type { State } from '../core/journal/events.ts'
import type { Breaker } from '../core/types.ts'
import { painter, plain, type Style } from './verdict-text.ts'

/** The state for people, a line for each thing they ask about. */
export function stateText(state: State, style: Style): string {
  if (state.run === undefined) return 'nothing has been decided here yet; `exitgate check` decides\n'
  const paint = painter(style)
  const { counters, totals, last, ended } = state
  const rows: (readonly [string, string])[] = [
    ['run', `${state.run} (${state.config?.preset ?? '?'})${state.task ? `, task ${plain(state.task)}` : ''}`],
    ['status', ended ? `ended ${ended.outcome}/${ended.ending}: ${plain(ended.reason)}` : 'going on'],
    ['iterations', String(state.iterations)],
    ...(counters.phase === undefined
      ? []
      : [['phase', `${counters.phase}, iteration ${counters.phaseIteration}`] as const]),
    ...state.phasesDone.map(
      ({ phase, iterations, forced }) => ['', `${phase} done after ${iterations}${forced ? ', forced' : ''}`] as const,
    ),
    ['breaker', breakerText(counters.breaker)],
    ['streaks', streaksText(state)],
    [
      'spent',
      `${Math.round(counters.total.ms / 1000)} s, ${counters.total.tokens} tokens, ${counters.total.usd.toFixed(2)} dollars`,
    ],
    ...(last === undefined ? [] : [['last', `${plain(last.verdict.reason)} (rule ${last.verdict.rule})`] as const]),
    ...(last?.verdict.missing ?? []).map((each) => ['missing', plain(each)] as const),
    ['in all', `${totals.runs} runs, ${totals.decisions} decisions, ${totals.claimsRefused} claims refused`],
  ]
  return `${rows.map(([name, text]) => `${paint(name.padEnd(11), 'dim')}${text}`).join('\n')}\n`
}

export function breakerText(breaker: Breaker): string {
  const counts = [
    breaker.noProgress && `no progress ${breaker.noProgress}`,
    breaker.sameError && `same error ${breaker.sameError}`,
    breaker.gateBlocked && `gate shut ${breaker.gateBlocked}`,
    breaker.failures && `failures ${breaker.failures}`,
  ].filter(Boolean)
  return `${breaker.state}${breaker.state === 'open' && breaker.reason ? ` (${plain(breaker.reason)})` : ''}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}`
}

function streaksText(state: State): string {
  const running = Object.entries(state.counters.streaks).filter(([, streak]) => streak.n > 0)
  return running.length === 0
    ? 'none'
    : running.map(([name, { n, key }]) => `${name} ${n}${key ? ` (${plain(key)})` : ''}`).join(', ')
}
