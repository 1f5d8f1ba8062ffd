import { describe, expect, it } from 'vitest'
import { backtest } from '../../src/backtest/backtest.ts'
import { summaryOf } from '../../src/backtest/summary.ts'
import type { Effect, RunBacktest } from '../../src/backtest/types.ts'
import type { ConfigPatch, PresetName } from '../../src/core/config.ts'
import type { EventInput, Label } from '../../src/core/journal/events.ts'
import { observation } from '../../src/core/policy/look.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import type { Answer, Evidence, Observation } from '../../src/core/types.ts'
import { configFor, listen, spoken } from '../scenarios/play.ts'
import { scribe } from './journals.ts'

const CLAIM = 'All tasks completed, ready for review.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'

const found = (check: string, answer: Answer, counts: Readonly<Record<string, number>> = {}): Evidence => ({
  check,
  answer,
  detail: answer,
  counts,
  ms: 1,
  tree: '',
})
const spent = { ms: 60_000, tokens: 100, usd: 0.5 }
const says = (text: string, evidence: readonly Evidence[], more: Partial<Observation> = {}): Observation =>
  observation(listen(spoken(text), {}), Object.fromEntries(evidence.map((each) => [each.check, each])), {
    spent,
    ...more,
  })
const RED = found('tests', 'no', { total: 4, passed: 1, failed: 3 })
const GREEN = found('tests', 'yes', { total: 4, passed: 4, failed: 0 })
const CHANGED = found('changed', 'yes')
const IDLE = found('changed', 'no')

const works = says('One more piece is in place.', [RED, CHANGED])
const idles = says('Looking at it again.', [RED, IDLE])
const lies = says(CLAIM, [RED, CHANGED])
const PROVEN = found('proven', 'yes')
const done = says(CLAIM, [GREEN, CHANGED, PROVEN])
const built = says(CLAIM, [GREEN, CHANGED, PROVEN, found('build', 'no')])
const fails = says('', [RED, CHANGED], { failed: { reason: 'the agent exited with code 1' } })
const stops = says('', [], { interrupted: true })
const forced = says('', [], { forced: { by: 'a person', reason: 'seen', scope: 'run' } })
const looks = (phase: string) =>
  says(`---PRP_PHASE_STATUS---\nPHASE: ${phase}\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---\n`, [GREEN, CHANGED])

type Turn = Observation | EventInput | 'loop'
interface Row {
  readonly name: string
  readonly was?: ConfigPatch & { readonly preset?: PresetName }
  readonly turns: readonly Turn[]
  readonly now: ConfigPatch & { readonly preset?: PresetName }
  readonly label?: Label
  /** Where it would have ended: `stuck/breaker 3`, or `-` if unknown. */
  readonly end: string
  readonly saved?: number
  readonly effect: Effect
  readonly why?: string | RegExp
}

const noBreaker = { breaker: { enabled: false } }
const ended = (
  outcome: 'aborted' | 'interrupted' | 'stuck',
  ending: 'iterations' | 'fatal' | 'interrupt' | 'breaker',
  iteration: number,
): EventInput => ({ type: 'run.ended', outcome, ending, reason: 'so it was', iteration }) as EventInput
const resumed: EventInput = { type: 'run.resumed', iteration: 1, reason: 'a person goes on' }
const reset: EventInput = { type: 'breaker.reset', by: 'a person', reason: 'looked at' }

const rows: readonly Row[] = [
  { name: 'nothing else', turns: [works, done], now: {}, end: 'completed/verified 2', effect: 'same' },
  {
    name: 'a looping run is cut short',
    was: { breaker: { noProgress: 5 } },
    turns: [idles, idles, idles, idles, idles],
    now: { breaker: { noProgress: 2 } },
    end: 'stuck/breaker 2',
    saved: 3,
    effect: 'cut-short',
  },
  {
    name: 'a run that is not over is cut short',
    turns: [works, works, works],
    now: { limits: { iterations: 2 } },
    end: 'aborted/iterations 2',
    saved: 1,
    effect: 'cut-short',
  },
  {
    name: 'a good run is lost to a lower limit',
    turns: [works, works, done],
    now: { limits: { iterations: 2 } },
    label: 'good',
    end: 'aborted/iterations 2',
    saved: 1,
    effect: 'broken',
  },
  {
    name: 'the same without a label is another end',
    turns: [works, works, done],
    now: { limits: { iterations: 2 } },
    end: 'aborted/iterations 2',
    saved: 1,
    effect: 'changed',
  },
  {
    name: 'the same of work that was bad',
    turns: [works, works, done],
    now: { limits: { iterations: 2 } },
    label: 'bad',
    end: 'aborted/iterations 2',
    saved: 1,
    effect: 'avoided',
  },
  {
    name: 'a good run that reached its limit is lost earlier',
    was: { limits: { iterations: 3 } },
    turns: [works, works, works],
    now: { limits: { iterations: 1 } },
    label: 'good',
    end: 'aborted/iterations 1',
    saved: 2,
    effect: 'broken',
  },
  {
    name: 'a bad completion is not accepted, and what comes then is not known',
    was: { preset: 'cub', cub: { threshold: 2 } },
    turns: [works, lies],
    now: { preset: 'cub', cub: { threshold: 6 } },
    label: 'bad',
    end: '-',
    effect: 'avoided',
    why: 'it would have continued past the recorded end',
  },
  {
    name: 'a good one neither',
    was: { preset: 'cub', cub: { threshold: 2 } },
    turns: [works, done],
    now: { preset: 'cub', cub: { threshold: 9 } },
    label: 'good',
    end: '-',
    effect: 'delayed',
  },
  {
    name: 'and without a label nothing is said about it',
    was: { preset: 'cub', cub: { threshold: 2 } },
    turns: [works, done],
    now: { preset: 'cub', cub: { threshold: 9 } },
    end: '-',
    effect: 'goes-on',
  },
  {
    name: 'words alone complete sooner in a weaker preset',
    turns: [works, lies, works, done],
    now: { preset: 'cub', cub: { threshold: 1 }, ...noBreaker },
    label: 'good',
    end: 'completed/threshold 2',
    saved: 2,
    effect: 'sooner',
  },
  {
    name: 'a higher limit goes on',
    was: { limits: { iterations: 2 } },
    turns: [works, works],
    now: { limits: { iterations: 9 } },
    end: '-',
    effect: 'goes-on',
  },
  {
    name: 'an interrupt stays',
    turns: [works, stops],
    now: { limits: { iterations: 9 } },
    end: 'interrupted/interrupt 2',
    effect: 'same',
  },
  {
    name: 'a forced end stays',
    turns: [works, forced],
    now: { preset: 'cub', cub: { threshold: 9 } },
    end: 'completed/forced 2',
    effect: 'same',
  },
  {
    name: 'a forced end stays whatever could not be told before it',
    turns: [forced],
    now: { promise: 'FERTIG' },
    end: 'completed/forced 1',
    effect: 'same',
  },
  {
    name: 'an interrupt between two iterations stays',
    turns: [works, ended('interrupted', 'interrupt', 1)],
    now: { limits: { iterations: 9 } },
    end: 'interrupted/interrupt 1',
    effect: 'same',
  },
  {
    name: 'an end of the agent stays',
    turns: [works, ended('aborted', 'fatal', 1)],
    now: noBreaker,
    end: 'aborted/fatal 1',
    effect: 'same',
  },
  {
    name: 'an end by a limit between two iterations follows the limit',
    was: { limits: { usd: 0.9 } },
    turns: [works, limited(0.5), ended('aborted', 'iterations', 1)].map((turn) =>
      'type' in turn && turn.type === 'run.ended' ? { ...turn, ending: 'cost' as const } : turn,
    ),
    now: { limits: { usd: 5 } },
    end: '-',
    effect: 'goes-on',
  },
  {
    name: 'money spent on a start that the provider ended counts',
    turns: ['loop', works, limited(0.5), 'loop', works, works],
    now: { limits: { usd: 0.9 } },
    end: 'aborted/cost 1',
    saved: 2,
    effect: 'cut-short',
  },
  {
    name: 'a run that was taken up again after the same end goes on in both',
    was: { breaker: { noProgress: 2 } },
    turns: [idles, idles, reset, works, done],
    now: { breaker: { noProgress: 2 }, hollowClaims: 9 },
    end: 'completed/verified 4',
    effect: 'same',
  },
  {
    name: 'a run that was taken up again after an end that the other has not goes on in it',
    was: { breaker: { noProgress: 2 } },
    turns: [idles, idles, reset, works, done],
    now: { breaker: { noProgress: 4 } },
    end: 'completed/verified 4',
    effect: 'same',
  },
  {
    name: 'an interrupted run that was resumed ends earlier all the same',
    turns: [works, stops, resumed, works, works, done],
    now: { limits: { iterations: 3 } },
    end: 'aborted/iterations 3',
    saved: 2,
    effect: 'changed',
  },
  {
    name: 'a loop that waits for the breaker goes on with what nobody has seen',
    was: { breaker: { noProgress: 5 } },
    turns: ['loop', idles, 'loop', idles, 'loop', works, done],
    now: { breaker: { noProgress: 2, onOpen: 'wait' } },
    end: '-',
    effect: 'cannot-tell',
    why: 'at iteration 2 the breaker would have opened and the run would have waited',
  },
  {
    name: 'a check that is not asked is left out',
    was: { commands: { build: 'make' } },
    turns: [built, built, done],
    now: {},
    end: 'completed/verified 1',
    saved: 2,
    effect: 'sooner',
  },
  ...(
    [
      [{ commands: { build: 'make' } }, {}, 'the check "build" did not run'],
      [{ commands: { test: 'make test' } }, {}, 'the check "tests" ran with other settings'],
      [{ evidence: { proof: 'report' } }, {}, 'the check "proven" ran with other settings'],
      [{ evidence: { mutation: 'changed' } }, {}, 'the check "mutation" did not run'],
      [
        { evidence: { mutation: 'changed', mutationMinutes: 5 } },
        { evidence: { mutation: 'changed' } },
        'the check "mutation" ran with other settings',
      ],
      [{ evidence: { review: 'ask' } }, {}, 'the check "review" did not run'],
      [{ plan: 'PLAN.md' }, {}, 'the check "checklist" did not run'],
      [{ plan: 'PLAN.md' }, { plan: 'OTHER.md' }, 'the check "checklist" ran with other settings'],
      [{ preset: 'gsd' }, {}, 'the check "checklist" did not run'],
      [{ evidence: { maximumMinutes: 1 } }, {}, /^checks ran with other settings/],
      [{ baseline: { acceptFailing: true } }, {}, 'the check "tests" ran with other settings'],
      [{ promise: 'FERTIG' }, {}, /another text in the promise tag/],
      [{ patterns: ['fertig'] }, {}, 'the run did not look for the pattern "fertig"'],
      [{ run: { iterationMinutes: 1 } }, {}, 'the agent ran with another run.iterationMinutes'],
      [{ run: { agent: 'codex' } }, {}, 'the agent ran with another run.agent'],
      [{ preset: 'prp' }, {}, 'the run had no phases'],
      [{ preset: 'default' }, { preset: 'prp' }, 'the run had other phases'],
      [{ preset: 'doyaken' }, {}, 'the prompt did not describe the status format of doyaken'],
      [{ preset: 'cub' }, { preset: 'ralph' }, 'the prompt did not describe the status format of cub'],
    ] as [Row['now'], NonNullable<Row['was']>, string | RegExp][]
  ).map(
    ([now, was, why]): Row => ({
      name: `cannot tell: ${JSON.stringify(now)} instead of ${JSON.stringify(was)}`,
      was,
      turns: [works, done],
      now,
      end: '-',
      effect: 'cannot-tell',
      why,
    }),
  ),
  {
    name: 'a pattern less is not counted',
    was: { preset: 'cub', cub: { patterns: ['ready', 'completed'], threshold: 3 } },
    turns: [done].map((each) => ({
      ...each,
      signals: { ...each.signals, phrases: ['user:ready', 'user:completed'] },
    })),
    now: { preset: 'cub', cub: { patterns: ['ready'], threshold: 3 } },
    end: '-',
    effect: 'goes-on',
  },
  {
    name: 'a failed iteration may have been a timeout to cub',
    turns: [works, fails, done],
    now: { preset: 'cub' },
    end: '-',
    effect: 'cannot-tell',
    why: /^agents that time out would have counted differently/,
  },
  {
    name: 'without one cub can be told',
    turns: [works, done],
    now: { preset: 'cub', cub: { threshold: 3 } },
    end: 'completed/verified 2',
    effect: 'same',
  },
  {
    name: 'a task that doyaken would have looked for',
    was: { preset: 'ralph' },
    turns: [{ ...works, task: '7' }],
    now: { preset: 'doyaken' },
    end: '-',
    effect: 'cannot-tell',
    why: 'the check "task-done" did not run',
  },
  {
    name: 'phases that part',
    was: { preset: 'prp' },
    turns: [{ ...looks('GREEN'), phase: 'GREEN' }, looks('REFACTOR'), looks('REFACTOR')],
    now: { preset: 'prp', prp: { greenRuns: 1 } },
    end: '-',
    effect: 'cannot-tell',
    why: /^after iteration \d the run would have been in another phase$/,
  },
]

function limited(usd: number): EventInput {
  return {
    type: 'iteration.limited',
    iteration: 2,
    attempt: 1,
    kind: 'limit',
    until: 0,
    message: 'later',
    spent: { ms: 0, tokens: 0, usd },
  }
}

function played({ was = {}, turns }: Row) {
  const to = scribe()
  to.begin(configFor(was.preset ?? 'default', was))
  for (const turn of turns) {
    to.pass(1)
    if (turn === 'loop') to.record({ type: 'iteration.started', iteration: to.state.iterations + 1, attempt: 1 })
    else if ('type' in turn) to.record(turn)
    else to.decide(turn)
  }
  return to.events
}

const endText = ({ alternative, known }: RunBacktest): string =>
  alternative === undefined
    ? known
      ? 'not over'
      : '-'
    : `${alternative.outcome}/${alternative.ending} ${alternative.iteration}`

describe('a backtest says', () => {
  it.each(rows)('$name', (row) => {
    const other = configFor(row.now.preset ?? 'default', row.now)
    const labels = new Map(row.label === undefined ? [] : [['run-1', row.label]])
    const [run, ...more] = backtest(played(row), { name: '', config: () => other }, policyFor, labels)
    expect(more).toEqual([])
    expect([endText(run!), run!.effect, run!.why ?? '']).toEqual([
      row.end,
      row.effect,
      row.why === undefined
        ? expect.anything()
        : typeof row.why === 'string'
          ? row.why
          : expect.stringMatching(row.why),
    ])
    expect(run!.saved.iterations).toBe(row.saved ?? 0)
    expect(run!.saved.usd).toBeGreaterThanOrEqual((row.saved ?? 0) * 0.5)
    expect(summaryOf([run!])).toMatchObject({ runs: 1, effects: { [row.effect]: 1 }, known: run!.known ? 1 : 0 })
  })
})
