import { findingText, listedFindings } from '../../core/accepting.ts'
import type { LimitsConfig } from '../../core/config.ts'
import type { State } from '../../core/journal/events.ts'
import { endingText } from '../../core/policy/ending-text.ts'
import type { Answer, BreakerState, Spent } from '../../core/types.ts'
import type { Columns } from '../page/columns.ts'
import type { PageData } from '../page/pack.ts'
import { type SafeText, safeTextWith } from '../page/safe-text.ts'
import type { Iteration } from '../page/types.ts'
import { withoutRemedy } from '../plain-words.ts'

const RANK: Readonly<Record<RunStatus, number>> = { running: 0, held: 0, waiting: 0, idle: 1, unreadable: 1, ended: 1 }

/** Active runs first, then the newest. The name breaks ties, so that the order is stable. */
export function inOrder(rows: Iterable<RunRow>): readonly RunRow[] {
  return [...rows].sort((one, other) => {
    const rank = RANK[one.status] - RANK[other.status]
    if (rank !== 0) return rank
    const at = RANK[one.status] === 0 ? other.startedAt - one.startedAt : other.seenAt - one.seenAt
    return at !== 0 ? at : one.id < other.id ? -1 : 1
  })
}

/** Running, paused, waiting for the provider, without a process, ended, or unreadable. */
export type RunStatus = 'running' | 'held' | 'waiting' | 'idle' | 'ended' | 'unreadable'

/** One run in one line. All text in it is fit to be shown. */
export interface RunRow {
  /** Name of the journal's folder; for an earlier run also a slash and its number. */
  readonly id: string
  /** Its number among the runs of its journal. Absent for the newest one. */
  readonly earlier?: number
  readonly project: string
  readonly run: string
  readonly preset: string
  readonly status: RunStatus
  readonly outcome?: string
  readonly ending?: string
  readonly cause?: string
  /** The iteration that is under way, or else the last one that was decided. */
  readonly iteration: number
  readonly claim?: Answer
  readonly proof?: Answer
  readonly reason: string
  readonly missing: readonly string[]
  /** Findings that you can accept; of those that are the agent's, it may still fix the cause. */
  readonly findings?: readonly { readonly id: string; readonly text: string; readonly agents?: true }[]
  readonly phase?: string
  readonly task?: string
  /** A task or phase is being worked on, which can be skipped. */
  readonly skips?: true
  readonly breaker: BreakerState
  readonly spent: Spent
  readonly limits?: LimitsConfig
  /** The sandbox, or why there was none; absent if you turned it off. */
  readonly sandbox?: string
  /** The tests of the last iteration. */
  readonly tests?: { readonly passed: number; readonly total: number }
  readonly startedAt: number
  /** Time of the newest event. */
  readonly seenAt: number
  /** A running loop accepts requests. */
  readonly answers: boolean
  /** Its loop was killed. */
  readonly crashed?: true
  /** Number of the newest event, to skip redraws. */
  readonly seq: number
}

export type RowFinding = NonNullable<RunRow['findings']>[number]

/** What the state alone does not tell. */
export interface Around {
  readonly id: string
  readonly seenAt: number
  /** The loop, or at least its agent, is alive. */
  readonly alive: boolean
  readonly answers: boolean
  /** The loop died without an end. */
  readonly crashed?: boolean
  /** It is paused. */
  readonly held: boolean
  /** Takes out what looks like a secret. */
  readonly hide: (text: string) => string
}

const MOST_MISSING = 5
const MOST_FINDINGS = 10
/** Workspaces of one name have folders of different names; people know the workspace. */
const MARK = /-[0-9a-f]{12}(?:\.(.+)-[0-9a-f]{12})?$/

/** `shop`, or `shop (claude)` for a session with a hook. */
export const projectOf = (id: string): string =>
  id.replace(MARK, (_, client?: string) => (client === undefined ? '' : ` (${client})`))

export function rowOf(state: State, around: Around): RunRow {
  const safe = safeTextWith(around.hide)
  const { counters, last, ended, running } = state
  const phase = counters.phase
  const task = state.task ?? state.title ?? running?.task
  return {
    id: around.id,
    project: safe.line(projectOf(around.id), 100),
    run: safe.line(state.run ?? '', 200),
    preset: safe.line(state.config?.preset ?? 'unknown', 50),
    status: statusOf(state, around),
    ...(ended === undefined ? {} : { outcome: ended.outcome, ending: ended.ending }),
    ...(ended?.cause === undefined ? {} : { cause: ended.cause }),
    iteration: running?.iteration ?? state.iterations,
    ...(last === undefined ? {} : { claim: last.verdict.gate.claim, proof: last.verdict.gate.proof }),
    reason: safe.line(ended?.reason ?? last?.verdict.reason ?? '', 500),
    missing: missingOf(state, safe),
    findings: listedFindings(state.previous?.evidence)
      .filter(({ key }) => !state.accepted?.some((each) => each.key === key))
      .slice(0, MOST_FINDINGS)
      .map((each) => ({
        id: each.id,
        text: safe.line(withoutRemedy(findingText(each)), 300),
        ...(each.kind === 'test-failing' && ended === undefined && { agents: true as const }),
      })),
    ...(phase === undefined ? {} : { phase: safe.line(phase, 100) }),
    ...(task === undefined ? {} : { task: safe.line(task, 300) }),
    ...((running?.task ?? phase) !== undefined && { skips: true as const }),
    breaker: counters.breaker.state,
    spent: counters.total,
    ...(state.config === undefined ? {} : { limits: state.config.limits }),
    ...(state.sandbox === undefined ? {} : { sandbox: safe.line(state.sandbox, 200) }),
    ...testsOf(state),
    startedAt: state.startedAt ?? 0,
    seenAt: around.seenAt,
    answers: around.answers,
    ...(around.crashed && { crashed: true as const }),
    seq: state.seq,
  }
}

/** The row of a journal that can't be read, with the reason. */
export function unreadableRow(id: string, problem: string, seenAt: number): RunRow {
  const safe = safeTextWith((text) => text)
  return {
    id,
    project: safe.line(projectOf(id), 100),
    run: '',
    preset: '',
    status: 'unreadable',
    iteration: 0,
    reason: safe.line(problem, 500),
    missing: [],
    breaker: 'closed',
    spent: { ms: 0, tokens: 0, usd: 0 },
    startedAt: 0,
    seenAt,
    answers: false,
    seq: 0,
  }
}

function statusOf({ ended, limited, running }: State, { alive, held }: Around): RunStatus {
  if (ended !== undefined) return 'ended'
  if (!alive) return 'idle'
  if (held && running === undefined) return 'held'
  return limited !== undefined && running === undefined ? 'waiting' : 'running'
}

function testsOf({ previous, baseline }: State): Pick<RunRow, 'tests'> {
  const { passed, total } = (previous?.evidence ?? baseline)?.tests?.counts ?? {}
  return passed === undefined || total === undefined ? {} : { tests: { passed, total } }
}

function missingOf({ ended, last }: State, safe: SafeText): readonly string[] {
  if (ended?.ending === 'verified') return []
  return (last?.verdict.missing ?? []).slice(0, MOST_MISSING).map((each) => safe.line(each, 300))
}

/** `running`, `verified`, `crashed`. */
export function statusText(row: Pick<RunRow, 'status' | 'ending' | 'cause' | 'crashed'>): string {
  const { status, ending, cause, crashed } = row
  if (status === 'ended') return ending === undefined ? 'ended' : endingText(ending, cause)
  if (status === 'held') return 'paused'
  if (crashed) return 'crashed'
  return status === 'idle' ? 'not running' : status
}

/** What changed since an event number. Getting it twice does no harm. */
export interface Changes {
  /** All runs, not only those that changed. */
  readonly all: boolean
  readonly rows: readonly RunRow[]
  readonly gone: readonly string[]
}

/** How much of a run a page has: its name, how many of its iterations, and the newest event. */
export interface SeenRun {
  readonly run: string
  readonly iterations: number
  readonly seq: number
}

/** What is new about one run since a page saw it last. */
export interface RunNews extends SeenRun {
  readonly journal: string
  /** This replaces everything the page has. */
  readonly whole: boolean
  /** The parts of the head that changed. */
  readonly head: Partial<PageData['head']>
  /** The parts of the head that are not there any more. */
  readonly gone: readonly (keyof PageData['head'])[]
  /** The iterations that were decided since. */
  readonly columns: Columns
  /** The newest of them with its details. */
  readonly newest?: Iteration
}

/** The mark of the diff of a run as it is now. A page that shows another one loads it again. */
export interface DiffNews {
  readonly journal: string
  readonly run: string
  readonly mark: string
}

/** What the live page shows of one run. */
export interface ReportAnswer extends PageData {
  /** The number of the event up to which it goes. */
  readonly seq: number
}

/** What came of a button. */
export interface PressAnswer {
  readonly taken: boolean
  readonly text: string
  /** A one-time code is needed: the id of the question that `text` asks. */
  readonly question?: string
}
