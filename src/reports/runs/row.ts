import type { State } from '../../core/journal/events.ts'
import type { Answer, Spent } from '../../core/types.ts'
import type { Columns } from '../page/columns.ts'
import type { PageData } from '../page/pack.ts'
import { type SafeText, safeTextWith } from '../page/safe-text.ts'
import type { Iteration } from '../page/types.ts'

const RANK: Readonly<Record<RunStatus, number>> = { running: 0, held: 0, waiting: 0, idle: 1, unreadable: 1, ended: 1 }

/** What is being worked on comes first, then the newest; of two alike the name decides, so that nothing jumps about. */
export function inOrder(rows: Iterable<RunRow>): readonly RunRow[] {
  return [...rows].sort((one, other) => {
    const rank = RANK[one.status] - RANK[other.status]
    if (rank !== 0) return rank
    const at = RANK[one.status] === 0 ? other.startedAt - one.startedAt : other.seenAt - one.seenAt
    return at !== 0 ? at : one.id < other.id ? -1 : 1
  })
}

/** How a run stands: somebody works, it holds, it waits for the provider, nobody works on it, it is over, or nothing can be read. */
export type RunStatus = 'running' | 'held' | 'waiting' | 'idle' | 'ended' | 'unreadable'

/** The newest run of one journal in one line. All text in it is fit to be shown. */
export interface RunRow {
  /** Name of the journal's folder. */
  readonly id: string
  readonly project: string
  readonly run: string
  readonly preset: string
  readonly status: RunStatus
  readonly outcome?: string
  readonly ending?: string
  /** The iteration that is under way, or else the last one that was decided. */
  readonly iteration: number
  readonly claim?: Answer
  readonly proof?: Answer
  readonly reason: string
  readonly missing: readonly string[]
  readonly phase?: string
  readonly task?: string
  readonly breaker: string
  readonly spent: Spent
  readonly startedAt: number
  /** Time of the newest event. */
  readonly seenAt: number
  /** A loop runs that can be asked for something. */
  readonly answers: boolean
  /** Number of the newest event: whoever has drawn this one needs to draw no more. */
  readonly seq: number
}

/** What the state alone does not tell. */
export interface Around {
  readonly id: string
  readonly seenAt: number
  /** The loop, or at least its agent, is alive. */
  readonly alive: boolean
  readonly answers: boolean
  /** A person holds it. */
  readonly held: boolean
  /** Takes out what looks like a secret. */
  readonly hide: (text: string) => string
}

const MOST_MISSING = 5
/** Workspaces of one name have folders of different names; people know the workspace. */
const MARK = /-[0-9a-f]{12}$/

export const projectOf = (id: string): string => id.replace(MARK, '')

export function rowOf(state: State, around: Around): RunRow {
  const safe = safeTextWith(around.hide)
  const { counters, last, ended, running } = state
  const phase = counters.phase
  const task = running?.task ?? state.task
  return {
    id: around.id,
    project: safe.line(projectOf(around.id), 100),
    run: safe.line(state.run ?? '', 200),
    preset: safe.line(state.config?.preset ?? 'unknown', 50),
    status: statusOf(state, around),
    ...(ended === undefined ? {} : { outcome: ended.outcome, ending: ended.ending }),
    iteration: running?.iteration ?? state.iterations,
    ...(last === undefined ? {} : { claim: last.verdict.gate.claim, proof: last.verdict.gate.proof }),
    reason: safe.line(ended?.reason ?? last?.verdict.reason ?? '', 500),
    missing: missingOf(state, safe),
    ...(phase === undefined ? {} : { phase: safe.line(phase, 100) }),
    ...(task === undefined ? {} : { task: safe.line(task, 300) }),
    breaker: counters.breaker.state,
    spent: counters.total,
    startedAt: state.startedAt ?? 0,
    seenAt: around.seenAt,
    answers: around.answers,
    seq: state.seq,
  }
}

/** A journal that cannot be read is told as such, in its own words. */
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

function missingOf({ ended, last }: State, safe: SafeText): readonly string[] {
  if (ended?.ending === 'verified') return []
  return (last?.verdict.missing ?? []).slice(0, MOST_MISSING).map((each) => safe.line(each, 300))
}

/** `running`, `completed/verified`, `not running`. */
export function statusText({ status, outcome, ending }: Pick<RunRow, 'status' | 'outcome' | 'ending'>): string {
  if (status === 'ended') return `${outcome ?? 'ended'}/${ending ?? '?'}`
  return status === 'idle' ? 'not running' : status
}

/** What has changed since a number, as it is now: whoever hears of it twice is told the same. */
export interface Changes {
  /** Everything there is, and not only what changed. */
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
  /** Forget what was known: this is all of it. */
  readonly whole: boolean
  /** The parts of the head that changed. */
  readonly head: Partial<PageData['head']>
  /** The parts of the head that are not there any more. */
  readonly gone: readonly (keyof PageData['head'])[]
  /** The iterations that were decided since. */
  readonly columns: Columns
  /** The newest of them with all there is about it: that is the one that is shown. */
  readonly newest?: Iteration
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
}
