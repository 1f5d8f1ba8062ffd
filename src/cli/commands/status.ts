import { errorAdvice } from '../../agents/error-advice.ts'
import { count } from '../../core/count.ts'
import type { State } from '../../core/journal/events.ts'
import { endingText, endSentence, verdictSentence } from '../../core/policy/ending-text.ts'
import type { Breaker } from '../../core/types.ts'
import { readJournal, verifyJournal } from '../../journal/read.ts'
import { sessionsOf } from '../../journal/sessions.ts'
import { CRASHED, loopState, RESUME } from '../../loop/control/place.ts'
import { switchText } from '../../loop/limits/fallback.ts'
import { foldText } from '../../reports/fold.ts'
import { spentText } from '../../reports/live/duration.ts'
import { painter, plain, type Style } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { INTERNAL } from '../exit-codes.ts'
import { type Io, usesColor, warn } from '../io.ts'
import { parse } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = { ...LOOK_OPTIONS, verify: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['status [options]'],
  about: 'Show the current run: iteration, phase, streaks, circuit breaker and cost.',
  rows: [['--verify', 'verify the hash of every line of the journal'], ...LOOK_ROWS],
  examples: ['exitgate status', 'exitgate status --json', 'exitgate status --verify'],
}

/** Reads the state of the run without taking the lock. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('status', args, OPTIONS)
  const { dir } = placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io)
  if (values.verify) {
    const checked = verifyJournal(dir)
    if (values.json) io.stdout.write(`${JSON.stringify({ dir, ...checked })}\n`)
    else
      io.stdout.write(
        !checked.ok
          ? `${checked.problems.join('\n')}\n`
          : checked.events === 0
            ? `There is no journal in ${dir} yet.\n`
            : `Journal intact: ${count(checked.events, 'event')} in ${dir}\n`,
      )
    return checked.ok ? 0 : INTERNAL
  }
  const { state, problems } = readJournal(dir)
  for (const problem of problems) warn(io, problem)
  const sessions = sessionsOf(dir).map(({ name, dir: each }) => sessionRow(name, readJournal(each).state))
  const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
  const crashed = state.ended === undefined && loopState(dir, state.run) === 'crashed'
  const more = { ...(crashed && { crashed }), ...(sessions.length > 0 && { sessions }) }
  if (values.json) io.stdout.write(`${JSON.stringify({ dir, ...state, ...more })}\n`)
  else io.stdout.write(foldText(`${stateText(state, crashed, style)}${sessionsText(sessions)}`, io.stdout.columns))
  return 0
}

/** An interactive session. Its stops have their own journal. */
function sessionRow(session: string, { run, iterations, last, ended }: State) {
  return { session, run, iterations, at: last?.at ?? 0, last: last?.verdict.reason, ended: ended?.ending }
}

const SESSIONS_SHOWN = 5

function sessionsText(sessions: readonly ReturnType<typeof sessionRow>[]): string {
  const newest = [...sessions].sort((a, b) => b.at - a.at).slice(0, SESSIONS_SHOWN)
  return newest
    .map(({ session, iterations, last = '', ended }) => {
      const status = ended === undefined ? 'active' : endingText(ended)
      return `session ${session}: ${count(iterations, 'stop')} checked, ${status}: ${plain(last)}\n`
    })
    .join('')
}

/** The state for people, one line per topic. */
function stateText(state: State, crashed: boolean, style: Style): string {
  if (state.run === undefined) return 'No decisions here yet. Start with `exitgate run` or `exitgate check`.\n'
  const paint = painter(style)
  const { counters, totals, last, ended } = state
  const rows: (readonly [string, string])[] = [
    ['run', `${state.run} (preset ${state.config?.preset ?? '?'})${state.task ? `, task ${plain(state.task)}` : ''}`],
    ['status', ended ? plain(endSentence(ended)) : crashed ? CRASHED : 'active'],
    ...(crashed ? [['next', RESUME] as const] : []),
    ...(ended?.cause === undefined ? [] : errorAdvice(ended.cause, state)).map(
      (step) => ['next', plain(step)] as const,
    ),
    ['iterations', String(state.iterations)],
    ...(state.fallback === undefined || state.config === undefined
      ? []
      : [
          [
            'agent',
            plain(switchText({ type: 'agent.switched', to: 'fallback', ...state.fallback }, state.config.run)),
          ] as const,
        ]),
    ...(counters.phase === undefined
      ? []
      : [['phase', `${counters.phase}, iteration ${counters.phaseIteration}`] as const]),
    ...state.phasesDone.map(
      ({ phase, iterations, forced }) =>
        ['', `${phase} ${forced ? 'forced' : 'done'} after ${count(iterations, 'iteration')}`] as const,
    ),
    ['breaker', breakerText(counters.breaker)],
    ['streaks', streaksText(state)],
    ['spent', spentText(counters.total)],
    ...(last === undefined || ended?.reason === last.verdict.reason
      ? []
      : [['last', plain(verdictSentence(last.verdict))] as const]),
    ...(last?.verdict.missing ?? []).map((each) => ['needs', plain(each)] as const),
    ...(state.guidance ?? []).map((each) => ['you said', plain(each)] as const),
    [
      'total',
      `${count(totals.runs, 'run')}, ${count(totals.decisions, 'decision')}, ${count(totals.claimsRefused, 'claim')} rejected`,
    ],
  ]
  return `${rows.map(([name, text]) => `${paint(name.padEnd(11), 'dim')}${text}`).join('\n')}\n`
}

function breakerText(breaker: Breaker): string {
  const counts = [
    breaker.noProgress && `no progress ${breaker.noProgress}`,
    breaker.sameError && `same error ${breaker.sameError}`,
    breaker.gateBlocked && `not verified ${breaker.gateBlocked}`,
    breaker.failures && `failures ${breaker.failures}`,
  ].filter(Boolean)
  return `${breaker.state}${breaker.state === 'open' && breaker.reason ? ` (${plain(breaker.reason)})` : ''}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}`
}

/** The streaks of the presets, in text. Others are shown by their name. */
const STREAKS: Readonly<Record<string, string>> = {
  hollowClaims: 'rejected claims',
  unverifiable: 'claims without an answer',
  sameTask: 'same task failed',
  blocked: 'agent blocked',
  green: 'all tests pass',
  asking: 'agent asks',
  failing: 'agent failed',
  refused: 'model refused',
  sameFailure: 'same failure',
  undecided: 'changes to accept',
}

function streaksText(state: State): string {
  const running = Object.entries(state.counters.streaks).filter(([, streak]) => streak.n > 0)
  return running.length === 0
    ? 'none'
    : running.map(([name, { n, key }]) => `${STREAKS[name] ?? name} ${n}${key ? ` (${plain(key)})` : ''}`).join(', ')
}
