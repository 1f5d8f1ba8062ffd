import type { FileDiff } from '../../src/core/file-diff.ts'
import type { JournalEvent } from '../../src/core/journal/events.ts'
import type { Observation } from '../../src/core/types.ts'
import { reportModel } from '../../src/reports/page/model.ts'
import type { Diff, Report, RunWork } from '../../src/reports/page/types.ts'
import { CLAIM, tellRun } from './live-scenes.ts'

type Told = NonNullable<Parameters<typeof tellRun>[0]['iterations']>[number]

/** A journal as the loop writes it. */
export function journalOf(run: Parameters<typeof tellRun>[0]): readonly JournalEvent[] {
  return tellRun(run).events.flatMap((event) => (event.type === 'recorded' ? event.events : []))
}

export function reportOf(run: Parameters<typeof tellRun>[0], project = 'parser'): Report {
  return shown(journalOf(run), project)
}

export function shown(events: Iterable<JournalEvent>, project = 'parser'): Report {
  const report = reportModel(events, { project })
  if (report === undefined) throw new Error('the journal has no run')
  return report
}

export const GREEN = {
  tests: { answer: 'yes', counts: { total: 12, passed: 12, failed: 0 } },
  proven: { answer: 'yes', counts: { proves: 2, required: 1 } },
  changed: { answer: 'yes', detail: 'Changed: src/parse.ts.', counts: { files: 1 } },
  checklist: { answer: 'yes', counts: { total: 4, done: 4, open: 0 } },
}
const RED = {
  tests: { answer: 'no', detail: '9 of 12 tests passed, 3 failed.', counts: { total: 12, passed: 9, failed: 3 } },
  changed: { answer: 'yes', detail: 'Changed: src/parse.ts.', counts: { files: 1 } },
  checklist: { answer: 'no', counts: { total: 4, done: 2, open: 2 } },
}
const BLOCK = 'The parser is finished.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'

/** A rejected claim, a failed iteration, tampering, and a verified claim. */
export const STORY: readonly Told[] = [
  {
    evidence: RED,
    signals: { text: 'I have begun with the parser.' },
    spent: { ms: 61_000, tokens: 18_000, usd: 0.21 },
  },
  { evidence: RED, signals: { ...CLAIM, text: BLOCK }, spent: { ms: 82_000, tokens: 23_000, usd: 0.32 } },
  { failed: 'the agent ended with code 1', spent: { ms: 4000, tokens: 900, usd: 0.01 } },
  { evidence: GREEN, signals: { ...CLAIM, text: BLOCK }, spent: { ms: 95_000, tokens: 31_000, usd: 0.44 } },
]

/** A long run. Every third iteration has a claim, and none is verified. */
export function longRun(iterations: number): readonly JournalEvent[] {
  return journalOf({
    config: { hollowClaims: 1_000_000, limits: { iterations: 1_000_000 }, breaker: { enabled: false } },
    iterations: Array.from({ length: iterations }, (_, at): Told => {
      const passed = at % 97
      return {
        evidence: {
          ...RED,
          tests: {
            answer: 'no',
            detail: `${passed} of 100 tests passed, ${100 - passed} failed: reads list ${at}.`,
            counts: { total: 100, passed, failed: 100 - passed },
          },
        },
        signals: {
          ...(at % 3 === 0 ? CLAIM : {}),
          text: `Step ${at}: the parser reads one more form of a list. `.repeat(8),
        },
        spent: { ms: 60_000 + at, tokens: 18_000 + at, usd: 0.2 },
      }
    }),
  })
}

/** The same journal with a different observation in its last decision. */
export function withLast(
  events: readonly JournalEvent[],
  change: (seen: Observation) => Observation,
): readonly JournalEvent[] {
  const last = events.findLastIndex(({ type }) => type === 'iteration.decided')
  return events.map((event, at) =>
    at === last && event.type === 'iteration.decided' ? { ...event, observation: change(event.observation) } : event,
  )
}

const file = (path: string, lines: number, more: Partial<FileDiff> = {}): FileDiff => ({
  path,
  status: 'modified',
  added: lines,
  removed: 0,
  hunks: `@@ -0,0 +1,${lines} @@\n${Array.from({ length: lines }, (_, n) => `+${path} line ${n + 1}\n`).join('')}`,
  ...more,
})

const diffOf = (...files: readonly FileDiff[]): Diff => ({
  files,
  added: files.reduce((sum, { added }) => sum + added, 0),
  removed: 0,
})

/** What a run did to its files: one file of that many lines, and two small ones. */
export const workWith = (lines: number): RunWork => ({
  total: diffOf(file('src/parse.ts', lines), file('src/new.ts', 3, { status: 'added' }), {
    path: 'logo.png',
    status: 'modified',
    added: 0,
    removed: 0,
    why: 'binary, or larger than 2 MB',
  }),
  iterations: [{ n: 2, commit: 'c'.repeat(40), ...diffOf(file('src/new.ts', 3, { status: 'added' })) }],
  commits: [{ id: 'c'.repeat(40), subject: 'Parse lists', at: 0 }],
  take: { text: 'Commits 3 files to main.', command: 'git add -- src/parse.ts src/new.ts logo.png && git commit' },
  discard: { text: 'Undoes the run. `git stash pop` brings it back.', command: 'git stash push' },
})
