import { describe, expect, it } from 'vitest'
import type { EventInput, Label, LabelSource } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { labelsOf } from '../../src/learning/labels.ts'
import { DONE, decided, stamped, started } from '../journal/samples.ts'

type Said = readonly [run: string, label: Label | 'none', source: LabelSource]

const labelled = ([run, label, source]: Said): EventInput => ({
  type: 'labelled',
  run,
  label,
  source,
  by: source === 'person' ? 'ci' : source,
  reason: 'why',
})

describe('the label that counts', () => {
  it.each<[string, readonly Said[], Readonly<Record<string, Label>>]>([
    ['none was given', [], {}],
    ['a person said so', [['a', 'good', 'person']], { a: 'good' }],
    [
      'the newest word of a person',
      [
        ['a', 'good', 'person'],
        ['a', 'bad', 'person'],
      ],
      { a: 'bad' },
    ],
    [
      'a person beats what was found before',
      [
        ['a', 'bad', 'revert'],
        ['a', 'good', 'person'],
      ],
      { a: 'good' },
    ],
    [
      'a person beats what is found later',
      [
        ['a', 'good', 'person'],
        ['a', 'bad', 'ci'],
      ],
      { a: 'good' },
    ],
    ['what was found counts without a person', [['a', 'bad', 'follow-up']], { a: 'bad' }],
    [
      'found bad stays bad',
      [
        ['a', 'bad', 'revert'],
        ['a', 'good', 'ci'],
      ],
      { a: 'bad' },
    ],
    [
      'found good may turn bad',
      [
        ['a', 'good', 'ci'],
        ['a', 'bad', 'revert'],
      ],
      { a: 'bad' },
    ],
    [
      'a word taken back',
      [
        ['a', 'good', 'person'],
        ['a', 'none', 'person'],
      ],
      {},
    ],
    [
      'a word taken back leaves what was found',
      [
        ['a', 'bad', 'ci'],
        ['a', 'good', 'person'],
        ['a', 'none', 'person'],
      ],
      { a: 'bad' },
    ],
    [
      'each run has its own',
      [
        ['a', 'good', 'person'],
        ['b', 'bad', 'ci'],
      ],
      { a: 'good', b: 'bad' },
    ],
  ])('%s', (_name, said, expected) => {
    const labels = labelsOf(stamped(said.map(labelled)))
    expect(Object.fromEntries([...labels].map(([run, { label }]) => [run, label]))).toEqual(expected)
  })

  it('changes only the event number in the state of the run', () => {
    const before = stamped([started(), decided(1, DONE)]).reduce(reduce, emptyState())
    const [event] = stamped([labelled(['r1', 'bad', 'person'])]).map((each) => ({ ...each, seq: 3 }))
    if (event === undefined) throw new Error('no event')
    expect(reduce(before, event)).toEqual({ ...before, seq: 3 })
  })
})
