import { describe, expect, it } from 'vitest'
import { BASE } from '../../src/config/defaults.ts'
import type { EventInput, JournalEvent } from '../../src/core/journal/events.ts'
import { eventText } from '../../src/reports/event-text.ts'

const at = Date.UTC(2026, 0, 2, 3, 4, 5)
const spent = { ms: 0, tokens: 0, usd: 0 }
const stamped = (happening: EventInput): JournalEvent => ({ v: 1, seq: 1, at, prev: '', ...happening })
const text = (happening: EventInput): string => eventText(stamped(happening), { color: false })

const rows: [EventInput, string][] = [
  [{ type: 'run.started', run: 'r-1', config: BASE, task: 'T-7' }, 'run r-1 started with preset default, task T-7'],
  [
    { type: 'run.resumed', iteration: 3, reason: 'it had ended as interrupt' },
    'run resumed after iteration 3: it had ended as interrupt',
  ],
  [{ type: 'iteration.started', iteration: 2 }, 'iteration 2 started'],
  [
    { type: 'iteration.started', iteration: 2, attempt: 3, phase: 'RED', task: '03-02' },
    'iteration 2 (start 3) started, phase RED, task 03-02',
  ],
  [
    { type: 'agent.started', iteration: 2, attempt: 1, pid: 4711, id: 'abc', since: 'boot:5' },
    'iteration 2: the agent is process 4711',
  ],
  [
    { type: 'agent.started', iteration: 2, attempt: 2, pid: 4711, id: 'abc' },
    'iteration 2 (start 2): the agent is process 4711',
  ],
  [{ type: 'step.done', name: 'agent 2.1', result: { ended: 'exit', code: 0 } }, 'agent 2.1 ended with exit code 0'],
  [
    {
      type: 'step.done',
      name: 'agent 2.1',
      result: { ended: 'exit', code: null, problem: 'it was killed by SIGKILL' },
    },
    'agent 2.1 ended by a signal: it was killed by SIGKILL',
  ],
  [
    { type: 'step.done', name: 'agent 2.1', result: { ended: 'silence', code: null, problem: 'it printed nothing' } },
    'agent 2.1 stopped (silence): it printed nothing',
  ],
  [{ type: 'step.done', name: 'agent 2.1', result: 'what an engine of its own keeps' }, 'agent 2.1 done'],
  [{ type: 'step.done', name: 'agent 2.1', result: null }, 'agent 2.1 done'],
  [
    {
      type: 'iteration.limited',
      iteration: 4,
      attempt: 2,
      kind: 'limit',
      until: at + 3_600_000,
      message: 'usage limit reached',
      spent,
    },
    'iteration 4 (start 2) stopped by the provider (limit): usage limit reached. Next try at 2026-01-02 04:04:05',
  ],
  [
    { type: 'iteration.limited', iteration: 4, attempt: 1, kind: 'overload', until: 1e300, message: 'busy', spent },
    'iteration 4 stopped by the provider (overload): busy. Next try at an unknown time',
  ],
  [{ type: 'control', kind: 'force', by: 'Ada', reason: 'I looked at it' }, 'force requested by Ada: I looked at it'],
  [
    { type: 'control', kind: 'breaker: modify', by: 'you at the terminal', reason: 'chosen at the terminal' },
    'breaker: modify requested by you at the terminal: chosen at the terminal',
  ],
  [{ type: 'task.skipped', task: 'T-7', by: 'Ada', reason: 'later' }, 'task T-7 skipped by Ada: later'],
  [{ type: 'task.config', task: 'T-7', config: BASE }, 'configuration for task T-7 applies from here'],
  [{ type: 'task.config', task: '', config: BASE }, 'configuration for no task applies from here'],
  [{ type: 'guidance', text: 'read\nthe log', by: 'Ada' }, 'guidance from Ada: read the log'],
  [
    { type: 'checkpoint', iteration: 2, branch: 'exitgate/r-1', commit: '0123456789abcdef' },
    'iteration 2 committed as 0123456789 to exitgate/r-1',
  ],
  [
    { type: 'breaker.reset', by: 'Ada', reason: 'the network is back' },
    'circuit breaker reset by Ada: the network is back',
  ],
  [
    { type: 'breaker.reset', by: 'Ada', reason: 'once more', to: 'half-open' },
    'circuit breaker set for one more try by Ada: once more',
  ],
  [
    { type: 'phase.changed', from: 'RED', to: 'GREEN', forced: true, by: 'Ada', reason: 'seen' },
    'phase RED -> GREEN forced by Ada: seen',
  ],
  [
    { type: 'config.changed', config: BASE, paths: ['limits.iterations'] },
    'configuration changed by flags or environment: limits.iterations',
  ],
  [
    { type: 'labelled', run: 'r-1', label: 'bad', source: 'person', by: 'Ann', reason: 'the button is dead' },
    'run r-1 labelled bad by Ann: the button is dead',
  ],
  [{ type: 'note', text: 'refused: force by the agent' }, 'note: refused: force by the agent'],
]

describe('each event is one line', () => {
  it.each(rows)('%j', (happening, line) => {
    expect(text(happening)).toBe(`2026-01-02 03:04:05  ${line}`)
  })

  it('shows the name of an event from a later release', () => {
    const later = JSON.parse(
      JSON.stringify({ ...stamped({ type: 'note', text: '' }), type: 'moon.rose' }),
    ) as JournalEvent
    expect(eventText(later, { color: false })).toBe('2026-01-02 03:04:05  moon.rose')
  })

  const hostile: EventInput[] = [
    { type: 'control', kind: 'x\u001b[2J', by: 'a\u001b[2J', reason: 'b\u001b[2J' },
    { type: 'guidance', text: 'a\u001b[2J', by: 'b\u001b[2J' },
    { type: 'task.skipped', task: 'a\u001b[2J', by: 'b\u001b[2J', reason: 'c\u001b[2J' },
    { type: 'iteration.started', iteration: 1, phase: 'a\u001b[2J', task: 'b\u001b[2J' },
    { type: 'step.done', name: 'a\u001b[2J', result: { ended: 'b\u001b[2J', problem: 'c\u001b[2J' } },
    { type: 'checkpoint', iteration: 1, branch: 'a\u001b[2J', commit: 'b\u001b[2J' },
    { type: 'task.config', task: 'a\u001b[2J', config: BASE },
    { type: 'note', text: 'a\u001b[2J\nb' },
  ]
  it.each(hostile)('has no control characters and stays one line: $type', (happening) => {
    expect(text(happening)).not.toMatch(/[\u0000-\u001f]/)
  })
})
