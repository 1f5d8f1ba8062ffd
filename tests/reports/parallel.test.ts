import { describe, expect, it } from 'vitest'
import type { BacklogEvent } from '../../src/backlog/events.ts'
import type { TaskEnd } from '../../src/backlog/types.ts'
import { BASE } from '../../src/config/defaults.ts'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { backlogJson, backlogLines, backlogSummary } from '../../src/reports/live/backlog-lines.ts'
import { backlogFrame, emptyBacklog, followBacklog } from '../../src/reports/live/backlog-view.ts'
import { textWidth } from '../../src/reports/live/line.ts'

const spent = { ms: 65_000, tokens: 1200, usd: 0.5 }
const end = (outcome: TaskEnd['outcome'], ending: TaskEnd['ending'], more: Partial<TaskEnd> = {}): TaskEnd => ({
  outcome,
  ending,
  reason: 'because\u001b[31m of it',
  iterations: 2,
  total: spent,
  missing: [],
  run: 'r',
  branch: 'exitgate/x',
  ...more,
})
const started: LoopEvent = {
  type: 'started',
  run: 'r',
  preset: 'default',
  workspace: '/w',
  command: [],
  resumed: false,
  iterations: 0,
  config: BASE,
  weaker: [],
  at: 1000,
}
const working: LoopEvent = { type: 'iteration', iteration: 3, attempt: 1, at: 2000 }
const ids = ['api', 'page', 'red', 'forced', 'late', 'a-very-long-name-of-a-task-that-does-not-fit']
const events: readonly BacklogEvent[] = [
  { type: 'began', tasks: ids.map((id) => ({ id, title: `Title of ${id}` })), parallel: 3, resumed: false, at: 0 },
  { type: 'doing', task: 'page', what: 'setting up: npm ci', at: 1000 },
  { type: 'task', task: 'api', event: started },
  { type: 'task', task: 'api', event: working },
  { type: 'task-ended', task: 'red', end: end('completed', 'verified'), at: 3000 },
  { type: 'merged', task: 'red', merge: { kind: 'red', detail: 'tests: 1 failed' }, at: 4000 },
  { type: 'task-ended', task: 'forced', end: end('completed', 'forced'), at: 3000 },
  { type: 'warning', text: 'look\u001b[2J out', at: 5000 },
  { type: 'interrupted', message: 'Interrupt received', now: false, at: 6000 },
]
const view = events.reduce((seen, event) => followBacklog(seen, event), emptyBacklog())
const look = { color: false, unicode: true }

describe('the task list in a terminal', () => {
  it('shows active tasks first and finished ones last', () => {
    expect(backlogFrame(view, { ...look, columns: 80, rows: 24, now: 10_000 })).toEqual([
      'exitgate run                                  2 of 6 completed · 3 at once · 10s',
      '─'.repeat(80),
      'api                  #3 agent working 8s',
      'page                    setting up: npm ci, 9s',
      'late                    waiting Title of late',
      'a-very-long-name-…      waiting Title of a-very-long-name-of-a-task-that-does-n…',
      'red                     verified, not merged',
      'forced                  forced, not verified',
      'look out',
      'Interrupt received',
    ])
  })

  it.each([
    [80, 24],
    [40, 6],
    [20, 3],
    [1, 1],
  ])('never exceeds %d columns and %d rows', (columns, rows) => {
    const lines = backlogFrame(view, { ...look, columns, rows, now: 10_000 })
    expect(lines.length).toBeLessThanOrEqual(rows)
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns)
  })
})

describe('plain lines of a task list', () => {
  it('have the name of the task and no control characters', () => {
    const lines = events.flatMap((event) => backlogLines(event, { ...look, zone: 0 }))
    expect(lines).toEqual([
      '00:00:00 Running 6 tasks, up to 3 at a time',
      '00:00:01 [page] setting up: npm ci',
      '00:00:01 [api] run r started in /w, preset default',
      '00:00:02 [api] iteration 3: the agent is working',
      '00:00:03 [red] Verified: because of it.',
      '00:00:04 [red] not merged: tests: 1 failed',
      '00:00:03 [forced] Forced, not verified: because of it.',
      '00:00:05 warning: look out',
      '00:00:06 Interrupt received',
    ])
  })

  it('in JSON always have the task, and the item if the task works through a plan', () => {
    const inner: BacklogEvent = { type: 'task', task: 'api', event: { ...working, task: 'item 1' } }
    const lines = [...events, inner].map((event) =>
      JSON.parse(backlogJson(event, { output: false, exitCode: 0 }) ?? ''),
    )
    for (const line of lines) expect(Object.hasOwn(line, 'task')).toBe(true)
    expect(lines.at(-1)).toMatchObject({ type: 'iteration', task: 'api', item: 'item 1' })
    expect(lines[0]).toMatchObject({ type: 'began', task: null })
    expect(lines.some((line) => Object.hasOwn(line, 'exitCode'))).toBe(false)
    const over: BacklogEvent = { type: 'ended', results: [], total: spent, at: 0 }
    expect(JSON.parse(backlogJson(over, { output: false, exitCode: 3 }) ?? '')).toMatchObject({
      exitCode: 3,
      task: null,
    })
    expect(
      backlogJson(
        { type: 'task', task: 'a', event: { type: 'output', text: 'x', at: 0 } },
        { output: false, exitCode: 0 },
      ),
    ).toBe(undefined)
  })
})

describe('the summary', () => {
  it('lists completed and failed tasks with reasons, the cost, and where the work is', () => {
    const about = { title: '', waitsFor: [] }
    const text = backlogSummary(
      [
        { ...about, task: 'api', standing: 'completed', end: end('completed', 'verified') },
        {
          ...about,
          task: 'red',
          standing: 'completed',
          end: end('completed', 'verified', { merge: { kind: 'red', detail: 'tests: 1 failed' } }),
        },
        { ...about, task: 'liar', standing: 'failed', end: end('stuck', 'breaker', { worktree: '/s/w/liar' }) },
        { ...about, task: 'heir', standing: 'blocked', waitsFor: ['liar'] },
        { ...about, task: 'next', standing: 'waiting', waitsFor: ['api'] },
        { ...about, task: 'rest', standing: 'ready' },
      ],
      spent,
      { ...look, columns: 80, exitCode: 2, merge: true, branch: 'main' },
    )
    expect(text).toBe(`── 2 of 6 tasks completed ─────────────────────────────────────── exit code 2 ──
api   verified  2 iterations, 1m 05s, $0.50
red   verified, not merged  2 iterations, 1m 05s, $0.50
        tests: 1 failed; the branch exitgate/x is unchanged
liar  stuck: circuit breaker open  2 iterations, 1m 05s, $0.50
        because of it
        the work is in /s/w/liar
heir  not started, blocked by liar
next  not started, waits for api
rest  not started

Total: 1m 05s of work, $0.50, 1k tokens
To merge the completed work into main:
  git merge exitgate/x
  git merge exitgate/x
To continue the rest, repeat the command with --resume --merge.
`)
  })
})
