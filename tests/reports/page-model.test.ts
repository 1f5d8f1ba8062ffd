import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { EventInput, JournalEvent } from '../../src/core/journal/events.ts'
import { reportModel } from '../../src/reports/page/model.ts'
import type { Report } from '../../src/reports/page/types.ts'
import { root } from '../source-tree.ts'
import { journalOf, longRun, reportOf, STORY, shown, withLast } from './page-runs.ts'

/** Appends events to a journal. */
function withEvents(events: readonly JournalEvent[], ...more: readonly EventInput[]): readonly JournalEvent[] {
  const last = events.at(-1)
  return [
    ...events,
    ...more.map(
      (each, n): JournalEvent => ({ v: 1, seq: (last?.seq ?? 0) + n + 1, at: (last?.at ?? 0) + n, prev: '', ...each }),
    ),
  ]
}

describe('the model of a run', () => {
  const report = reportOf({ iterations: STORY })

  it('has every iteration with its claim and proof', () => {
    expect(
      report.iterations.map(({ n, claim, proof, verdict, refused }) => [n, claim, proof, verdict, refused]),
    ).toEqual([
      [1, 'unknown', 'no', 'not done', false],
      [2, 'yes', 'no', 'not done', true],
      [3, 'unknown', 'unknown', 'not done', false],
      [4, 'yes', 'yes', 'completed/verified', false],
    ])
    expect(report.totals).toEqual({
      iterations: 4,
      claims: 2,
      refused: 1,
      failures: 1,
      spent: { ms: 242_000, tokens: 72_900, usd: 0.98 },
    })
  })

  it('has the end and the next steps', () => {
    expect(report.end).toMatchObject({ outcome: 'completed', ending: 'verified', rule: 'gate', missing: [] })
    expect(report.next).toEqual(['Review with `git diff`, then commit. `exitgate explain` lists what was verified.'])
  })

  it('has every rule in the trace, including the one that decided', () => {
    for (const { trace = [], rule } of report.iterations) {
      expect(trace.length).toBeGreaterThan(8)
      expect(trace.find(({ name }) => name === rule)?.answer).toBe('yes')
    }
  })
})

describe('the model of a journal from every release', () => {
  const journals = [
    ['phases', 'RED RED', 'phase RED to GREEN, forced'],
    [
      'stuck-and-reset',
      '- - - -',
      'circuit breaker nearly open; circuit breaker open; reset the circuit breaker; note',
    ],
    ['verified', '- - - -', ''],
    [
      'accepted',
      '- - - -',
      'requested accept; accepted Q7TEZ (Test "format writes the shortest form" no longer runs (passed before the run, not reported now).); run resumed',
    ],
  ] as const
  it.each(journals)('%s', (name, phases, expected) => {
    const lines = readFileSync(`${root}/tests/golden/journals/v1/${name}/journal.jsonl`, 'utf8').trim().split('\n')
    const events = lines.map((line): JournalEvent => JSON.parse(line))
    const [first] = events.flatMap((event) => (event.type === 'run.started' ? [event.run] : []))
    const report = reportModel(events, first === undefined ? {} : { run: first })
    expect(report?.iterations.map(({ phase = '-' }) => phase).join(' ')).toBe(phases)
    expect(report?.iterations.every(({ trace }) => trace !== undefined)).toBe(true)
    expect(report?.interventions.map(({ what }) => what).join('; ')).toBe(expected)
  })
})

describe('interventions', () => {
  const interventions: readonly (readonly [EventInput, Partial<Report['interventions'][number]>])[] = [
    [
      { type: 'control', kind: 'pause', by: 'Ada', reason: 'lunch' },
      { kind: 'override', by: 'Ada', what: 'requested pause', reason: 'lunch' },
    ],
    [
      { type: 'task.skipped', task: 'T1', by: 'Ada', reason: 'later' },
      { kind: 'override', what: 'skipped the task T1', reason: 'later' },
    ],
    [
      { type: 'breaker.reset', by: 'Ada', reason: 'fixed' },
      { kind: 'override', what: 'reset the circuit breaker', reason: 'fixed' },
    ],
    [
      { type: 'guidance', text: 'use the old parser', by: 'Ada' },
      { kind: 'override', reason: 'use the old parser' },
    ],
    [
      { type: 'phase.changed', from: 'RED', to: 'GREEN', forced: true, by: 'Ada', reason: 'seen' },
      { kind: 'override', by: 'Ada', what: 'phase RED to GREEN, forced', reason: 'seen' },
    ],
    [
      {
        type: 'iteration.limited',
        iteration: 3,
        attempt: 1,
        kind: 'limit',
        until: 5,
        message: 'five hours',
        spent: { ms: 1, tokens: 0, usd: 0 },
      },
      { kind: 'limit', reason: 'five hours' },
    ],
    [
      { type: 'note', text: 'edited config was ignored' },
      { kind: 'note', reason: 'edited config was ignored' },
    ],
    [
      { type: 'run.resumed', iteration: 2, reason: 'after a crash' },
      { kind: 'run', reason: 'after a crash' },
    ],
  ]
  it.each(interventions)('%o', (event, expected) => {
    expect(shown(withEvents(journalOf({ iterations: STORY.slice(0, 2) }), event)).interventions).toEqual([
      expect.objectContaining({ iteration: 2, ...expected }),
    ])
  })

  it('show a forced end as forced, with its reason', () => {
    const report = reportOf({ iterations: [{ forced: { by: 'Ada', reason: 'shipped by hand', scope: 'run' } }] })
    expect(report.end).toMatchObject({ outcome: 'completed', ending: 'forced' })
    expect(report.interventions).toEqual([
      expect.objectContaining({ kind: 'override', by: 'Ada', what: 'forced the run', reason: 'shipped by hand' }),
    ])
  })
})

describe('which run', () => {
  const first = journalOf({ iterations: STORY })
  const two = withEvents(first, { type: 'run.started', run: 'second' }, { type: 'note', text: 'of the second' })

  it('is the newest one or the requested one', () => {
    expect(reportModel(two)).toMatchObject({
      run: 'second',
      iterations: [],
      interventions: [{ reason: 'of the second' }],
    })
    expect(reportModel(two, { run: 'r-7f3a' })).toMatchObject({
      run: 'r-7f3a',
      totals: { iterations: 4 },
      interventions: [],
    })
    expect(reportModel(two, { run: 'r-7f3a' })?.iterations[3]?.trace).toBeDefined()
    expect(reportModel(two, { run: 'third' })).toBeUndefined()
    expect(reportModel([])).toBeUndefined()
  })
})

describe('the model leaves out', () => {
  it('secrets, in every field', () => {
    const hide = (text: string) => text.replaceAll('SECRET', '[redacted]')
    const events = withLast(
      journalOf({
        iterations: STORY,
        config: {
          run: { command: ['agent', '--key', 'SECRET'], notify: { webhook: 'https://u:p@hooks.example/T0/SECRET' } },
        },
      }),
      (seen) => ({
        ...seen,
        task: 'SECRET',
        signals: { ...seen.signals, text: 'the key is SECRET', said: { KEY: 'SECRET' } },
        evidence: { tests: { check: 'tests', answer: 'no', detail: 'SECRET', ms: 0, tree: '' } },
      }),
    )
    const report = reportModel(events, {
      hide,
      outputOf: () => ({ files: [{ name: '1.1.out', text: 'printed SECRET' }] }),
    })
    const text = JSON.stringify(report)
    expect(text).not.toContain('SECRET')
    expect(text).not.toContain('u:p@')
    expect(report?.config).toContainEqual(['run.notify.webhook', 'hooks.example (path hidden)'])
    expect(report?.iterations.at(-1)?.output?.files[0]?.text).toBe('printed [redacted]')
  })

  it('traces that do not fit; the newest and the rejected claims keep theirs', () => {
    const { iterations } = shown(longRun(2000))
    const traced = iterations.filter(({ trace }) => trace !== undefined)
    expect(traced.length).toBe(800)
    expect(iterations.at(-1)?.trace).toBeDefined()
    expect(iterations[0]).toMatchObject({ refused: true, trace: expect.anything() })
  })
})

describe('tampering', () => {
  it('is listed once, with the first and last iteration that had it', () => {
    const change = {
      file: 'a.test.ts',
      line: 3,
      kind: 'test-skipped',
      blocks: true,
      detail: 'skipped',
      before: 'it(',
      after: 'it.skip(',
    }
    const tampered = {
      tampering: { check: 'tampering', answer: 'no' as const, detail: 'skipped', ms: 0, tree: '', changes: [change] },
    }
    const events = journalOf({ iterations: STORY.slice(0, 3) }).map((event) =>
      event.type === 'iteration.decided' && event.iteration > 1
        ? { ...event, observation: { ...event.observation, evidence: tampered } }
        : event,
    )
    expect(shown(events).tampering).toEqual([{ ...change, first: 2, last: 3 }])
  })
})
