import { describe, expect, it } from 'vitest'
import { readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import type { ReadOptions, Signals, Transcript } from '../../src/core/types.ts'
import { transcript } from './transcript.ts'

/** A message, some of the signals in it, and what else the reader gets. */
type Row = [name: string, message: string, heard: Partial<Signals>, more?: ReadOptions & Partial<Transcript>]

const check = (
  _name: string,
  message: string,
  heard: Partial<Signals>,
  more: ReadOptions & Partial<Transcript> = {},
) => {
  const signals = readWithPatterns(transcript(message, more), more)
  expect(Object.fromEntries(Object.keys(heard).map((key) => [key, signals[key as keyof Signals]]))).toEqual(heard)
}

const NOT_YET = 'However, the docs are not written yet.'
const TAKEN_BACK = `the agent takes it back: ${NOT_YET}`
const SHOWN_NO = 'The format is:\n```\nEXIT_STATUS: CONTINUE\n```\nThe rest of the text.'

describe('text after a claim', () => {
  it.each<Row>([
    ['takes it back', `EXIT_STATUS: COMPLETE\n\n${NOT_YET}`, { claim: true, vetoes: [TAKEN_BACK] }],
    [
      'takes it back in a JSON wrapper too',
      `EXIT_STATUS: COMPLETE\n\n${NOT_YET}`,
      { claim: true, vetoes: [TAKEN_BACK] },
      { fields: { session_id: 'one' } },
    ],
    [
      'takes it back between words in code',
      'EXIT_STATUS: COMPLETE\n\nHowever, `parser` is not covered by `suite` yet.',
      { vetoes: ['the agent takes it back: However, parser is not covered by suite yet.'] },
    ],
  ])('%s', check)
})

describe('a "no" in a block that is only shown', () => {
  it.each<Row>([
    ['counts', SHOWN_NO, { vetoes: ['exit-status says EXIT_STATUS: CONTINUE'] }],
    [
      'counts in a JSON wrapper too',
      SHOWN_NO,
      { vetoes: ['exit-status says EXIT_STATUS: CONTINUE'] },
      { fields: { session_id: 'one' } },
    ],
    [
      'counts in a tool call after one that says yes',
      '',
      { vetoes: ['tool says TOOL.STATUS: CONTINUE'] },
      { toolSignals: [{ status: 'COMPLETE' }, { status: 'CONTINUE', reason: '...' }] },
    ],
    [
      'does not count in a tool call before one that says yes',
      '',
      { claim: true, vetoes: [] },
      { toolSignals: [{ status: 'CONTINUE', reason: '...' }, { status: 'COMPLETE' }] },
    ],
  ])('%s', check)
})
