import { count } from '../../../packages/core/src/count.ts'
import { foldText } from '../../../packages/core/src/fold.ts'
import { errorAdvice } from '../../agents/error-advice.ts'
import type { State } from '../../core/journal/events.ts'
import { emptyState } from '../../core/journal/reduce.ts'
import { endingText, endSentence, verdictSentence } from '../../core/policy/ending-text.ts'
import { lastWordRows } from '../../core/signals/last-words.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { RUN_MARK } from '../../inbox/attempt.ts'
import { readJournal, verifyJournal } from '../../journal/read.ts'
import { sessionsOf } from '../../journal/sessions.ts'
import { followRun } from '../../loop/control/follow-run.ts'
import { CRASHED, findPlace, loopState, RESUME } from '../../loop/control/place.ts'
import { switchText } from '../../loop/limits/fallback.ts'
import { backlogFolder, readRecord, type TaskRecord } from '../../parallel/record.ts'
import { statusText } from '../../reports/live/blocks/head.ts'
import { breakerTexts } from '../../reports/live/blocks/progress.ts'
import { durationText, spentText } from '../../reports/live/duration.ts'
import { EMPTY_TAIL, tailLines } from '../../reports/live/tail.ts'
import { checksBefore, emptyView, follow, type View } from '../../reports/live/view.ts'
import { checksText, painter, plain, type Style } from '../../reports/verdict-text.ts'
import { MARKER } from '../../system/processes.ts'
import type { Page } from '../command.ts'
import { INTERNAL } from '../exit-codes.ts'
import { type Io, usesColor, warn } from '../io.ts'
import { parse } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = { ...LOOK_OPTIONS, verify: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['status [options]'],
  about: 'Show the current run: what it does now, for how long, the baseline, the last output and the cost.',
  rows: [['--verify', 'verify the hash of every line of the journal'], ...LOOK_ROWS],
  examples: ['exitgate status', 'exitgate status --json', 'exitgate status --verify'],
}

/** Reads the state of the run without taking the lock. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('status', args, OPTIONS)
  const { dir } = placeOf(workspaceOf(io.cwd, values.dir), values['state-dir'], io)
  if (values.verify) {
    const checked = verifyJournal(dir)
    const intact =
      checked.events === 0
        ? `There is no journal in ${dir} yet.`
        : `Journal intact: ${count(checked.events, 'event')} in ${dir}`
    const text = checked.ok ? intact : checked.problems.join('\n')
    io.stdout.write(`${values.json ? JSON.stringify({ dir, ...checked }) : text}\n`)
    return checked.ok ? 0 : INTERNAL
  }
  const { state: recorded, problems } = readJournal(dir)
  for (const problem of problems) warn(io, problem)
  const now = await runNow(dir, io)
  // While it takes its baseline, the journal still ends with the run before it.
  const { run, totals } = recorded
  const state = now === undefined || now.run === run ? recorded : { ...emptyState(), run: now.run, totals }
  const sessions = sessionsOf(dir).map(({ name, dir: each }) => sessionRow(name, readJournal(each).state))
  const tasks = Object.entries(readRecord(backlogFolder(dir))?.tasks ?? {})
  const style = { color: usesColor(io.stdout, io.env, values['no-color']) }
  const crashed = state.ended === undefined && loopState(dir, state.run) === 'crashed'
  const live = now && { doing: now.view.doing, paused: now.view.paused, lastOutput: lastOutput(now.view) }
  const more = {
    ...(crashed && { crashed }),
    ...(live && { live }),
    ...(sessions.length > 0 && { sessions }),
    ...(tasks.length > 0 && { tasks: Object.fromEntries(tasks) }),
  }
  const onlyTasks = tasks.length > 0 && state.run === undefined
  const own = onlyTasks ? '' : stateText(state, { view: now?.view, crashed, dir, at: io.now() }, style)
  const text = foldText(`${tasksText(tasks)}${own}${sessionsText(sessions)}`, io.stdout.columns)
  io.stdout.write(values.json ? `${JSON.stringify({ dir, ...state, ...more })}\n` : text)
  return 0
}

/** What the run of this folder does now, from the events that it gives to a new reader. Undefined if no run answers here. */
async function runNow(
  dir: string,
  { env, pid }: Io,
): Promise<{ readonly run: string; readonly view: View } | undefined> {
  const { run } = findPlace(dir) ?? {}
  if (run === undefined) return undefined
  const inside = env[RUN_MARK] || env[MARKER] || insideAgent(env, pid)
  let view = emptyView()
  let left = 0
  let caughtUp = (): void => {}
  const past = new Promise<void>((resolve) => {
    caughtUp = resolve
  })
  const followed = await followRun(dir, {
    inside,
    onAccepted(many) {
      left = many
      if (many === 0) caughtUp()
    },
    onEvent(event) {
      view = follow(view, event.type === 'decided' ? { ...event, state: view.state } : event)
      left -= 1
      if (left === 0) caughtUp()
    },
    onEnd: caughtUp,
  })
  if (followed === undefined || typeof followed === 'string') return undefined
  await past
  followed.close()
  return { run, view }
}

/** The agent's last line in this iteration. */
const lastOutput = ({ iterations }: View): string | undefined =>
  tailLines(iterations.at(-1)?.output ?? EMPTY_TAIL).findLast((line) => line.trim() !== '')

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

/** The tasks of the last `run --tasks` that have started. Each has a journal of its own. */
const tasksText = (tasks: readonly (readonly [string, TaskRecord])[]): string =>
  tasks
    .map(([name, { end }]) => {
      const status = end === undefined ? 'not finished' : endSentence(end)
      return `task ${name}: ${plain(status)} \`exitgate explain --run ${name}\`\n`
    })
    .join('')

interface Now {
  readonly view: View | undefined
  readonly crashed: boolean
  readonly dir: string
  readonly at: number
}

/** What a run does that has no end in its journal. */
function activity({ run }: State, { view, crashed, dir, at }: Now): string {
  if (crashed) return CRASHED
  if (view?.doing.kind === 'waiting' && view.paused)
    return `paused for ${durationText(at - view.doing.since)}. \`exitgate resume\` continues it`
  if (view !== undefined) return statusText(view, at)
  return loopState(dir, run) === 'running' ? 'running' : 'open: the next check of its agent continues it'
}

/** The state for people, one line per topic. */
function stateText(state: State, now: Now, style: Style): string {
  if (state.run === undefined) return 'No decisions here yet. Start with `exitgate run` or `exitgate check`.\n'
  const paint = painter(style)
  const { counters, totals, last, ended, startedAt = now.view?.doing.since } = state
  const { view, crashed } = now
  const said = view && lastOutput(view)
  const elapsed = startedAt !== undefined && (ended !== undefined || view !== undefined)
  const preset = state.config === undefined ? '' : ` (preset ${state.config.preset})`
  const rows: string[] = []
  const add = (name: string, text: string | false | undefined): void => {
    if (text) rows.push(`${paint(name.padEnd(11), 'dim')}${text}`)
  }
  add('run', `${state.run}${preset}${state.task ? `, task ${plain(state.task)}` : ''}`)
  add('status', plain(ended ? endSentence(ended) : activity(state, now)))
  add('next', crashed && RESUME)
  if (ended?.cause !== undefined) for (const step of errorAdvice(ended.cause, state)) add('next', plain(step))
  add('elapsed', elapsed && durationText((ended?.at ?? now.at) - startedAt))
  add('baseline', state.baseline && checksText(checksBefore({ evidence: state.baseline }) ?? {}, [], paint))
  add('output', said && plain(said))
  const current = view && view.iteration > state.iterations ? `, now in iteration ${view.iteration}` : ''
  add('iterations', `${state.iterations}${current}`)
  const switched = state.fallback && ({ type: 'agent.switched', to: 'fallback', ...state.fallback } as const)
  add('agent', switched && state.config && plain(switchText(switched, state.config.run)))
  add('phase', counters.phase && `${counters.phase}, iteration ${counters.phaseIteration}`)
  for (const { phase, iterations, forced } of state.phasesDone)
    add('', `${phase} ${forced ? 'forced' : 'done'} after ${count(iterations, 'iteration')}`)
  const breaker = breakerTexts({ ...emptyView(), state }).filter(Boolean)
  add('breaker', breaker.join(': '))
  add('spent', state.iterations === 0 ? 'nothing yet' : spentText(counters.total))
  add('last', last && ended?.reason !== last.verdict.reason && plain(verdictSentence(last.verdict)))
  for (const [name, text] of lastWordRows(state.previous, ended?.reason ?? '')) add(name, plain(text))
  for (const each of last?.verdict.missing ?? []) add('needs', plain(each))
  for (const each of state.guidance ?? []) add('you said', plain(each))
  const { runs, decisions, claimsRefused } = totals
  add('total', `${count(runs, 'run')}, ${count(decisions, 'decision')}, ${count(claimsRefused, 'claim')} rejected`)
  return `${rows.join('\n')}\n`
}
