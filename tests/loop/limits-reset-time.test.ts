import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationAt, momentOf, offsetOf, resetTime, wallAt } from '../../packages/core/src/reset-time.ts'

/** A Wednesday. Local time is two hours ahead of UTC. */
const now = Date.parse('2026-07-22T10:00:00Z')
const twoAhead = () => 120

const rows: [text: string, at: string | undefined][] = [
  // Timestamps.
  ['usage limit, resets at 1784728800', '2026-07-22T14:00:00Z'],
  ['usage limit, resets at 1784728800000', '2026-07-22T14:00:00Z'],
  ['{"error":{"type":"usage_limit_reached","resets_at":1784728800}}', '2026-07-22T14:00:00Z'],
  ['{"type":"usage_limit_reached","resets_in_seconds":5400}', '2026-07-22T11:30:00Z'],
  ['try again at 2026-07-22T14:00:00Z', '2026-07-22T14:00:00Z'],
  ['try again at 2026-07-22T14:00:00.500+02:00', '2026-07-22T12:00:00.500Z'],
  ['Your limit will reset at 2026-07-22 20:30:24 [retrying in 2m 22s #8]', '2026-07-22T18:30:00Z'],
  ['resets 2026-07-22 20:30 UTC', '2026-07-22T20:30:00Z'],
  // Times of day.
  ["You've hit your limit · resets 7:47am", '2026-07-23T05:47:00Z'],
  ["You've hit your limit · resets 3pm", '2026-07-22T13:00:00Z'],
  ["You've hit your limit · resets 3pm (Europe/Berlin)", '2026-07-22T13:00:00Z'],
  ["You've hit your limit · resets 7:47am (UTC)", '2026-07-23T07:47:00Z'],
  ["You've hit your session limit · resets 12:50am (America/Los_Angeles)", '2026-07-23T07:50:00Z'],
  ["You've hit your session limit · resets 12pm (Asia/Tokyo)", '2026-07-23T03:00:00Z'],
  ['Claude usage limit reached. Your limit will reset at 12am.', '2026-07-22T22:00:00Z'],
  ['or try again at 8:28 AM.', '2026-07-23T06:28:00Z'],
  ['resets 14:30', '2026-07-22T12:30:00Z'],
  ['resets at 6am tomorrow', '2026-07-23T04:00:00Z'],
  ['resets at 11pm tomorrow', '2026-07-23T21:00:00Z'],
  ['resets Fri 9am', '2026-07-24T07:00:00Z'],
  ['resets Wednesday at 1pm', '2026-07-22T11:00:00Z'],
  ['resets Wed 9am', '2026-07-29T07:00:00Z'],
  ['resets 3pm (Atlantis/Poseidonis)', undefined],
  ['resets 13pm', undefined],
  ['resets 25:10', undefined],
  // A time that just passed does not mean tomorrow.
  ['resets 11:59am', undefined],
  ['or try again at 11:31 AM.', undefined],
  // Dates.
  ["You've hit your weekly limit · resets Jul 25, 9pm (America/New_York)", '2026-07-26T01:00:00Z'],
  ['Weekly limit reached ∙ resets Jul 24 at 5pm', '2026-07-24T15:00:00Z'],
  ['try again at Jul 23rd, 2026 7:38 AM.', '2026-07-23T05:38:00Z'],
  ['try again at Jul 23, 2026, 7:38 AM.', '2026-07-23T05:38:00Z'],
  ['resets 21:13 on 24 Jul', '2026-07-24T19:13:00Z'],
  ['try again at Aug 20, 2026, 7:38 AM', undefined],
  ['resets Jul 20 at 5pm', undefined],
  // Durations.
  ['try again in 5 days 22 hours 11 minutes.', '2026-07-28T08:11:00Z'],
  ['try again in 3 hours 2 minutes.', '2026-07-22T13:02:00Z'],
  ['try again in 2h 13m', '2026-07-22T12:13:00Z'],
  ['Try again in ~37 min.', '2026-07-22T10:37:00Z'],
  ['try again in less than a minute.', '2026-07-22T10:01:00Z'],
  ['Please try again in 915ms. Visit the page.', '2026-07-22T10:00:00.915Z'],
  ['Please try again in 11.254s.', '2026-07-22T10:00:11.254Z'],
  ['Please retry in 37.5s', '2026-07-22T10:00:37.500Z'],
  ['retry after 30 seconds', '2026-07-22T10:00:30Z'],
  ['Retry-After: 30', '2026-07-22T10:00:30Z'],
  ['retry-after-ms: 2500', '2026-07-22T10:00:02.500Z'],
  ['{"retry_after": 12.5}', '2026-07-22T10:00:12.500Z'],
  ['"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"33s"', '2026-07-22T10:00:33Z'],
  ['Your quota will reset after 21h13m49s.', '2026-07-23T07:13:49Z'],
  ['resets in 6d', '2026-07-28T10:00:00Z'],
  ['please wait 2 minutes and 30 seconds', '2026-07-22T10:02:30Z'],
  ['try again in an hour', '2026-07-22T11:00:00Z'],
  // No time, or an implausible one.
  ['try again later', undefined],
  ['usage to purchase more credits or try again at some point', undefined],
  ['try again in 9 days', undefined],
  ['try again in 100 weeks', undefined],
  ['try again in 0 seconds', undefined],
  ['resets at 1584728800', undefined],
  ['resets_at: 4102444800', undefined],
  ['try again at 2026-07-22T09:59:59Z', undefined],
  ['limit of 200000 tokens, used 124035', undefined],
  ['retry 3 of 10', undefined],
  ['retry 3 more', undefined],
  ['', undefined],
]

describe('the end of a limit', () => {
  it.each(rows)('%s', (text, at) => {
    const found = resetTime(text, now, twoAhead)
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(
      at === undefined ? undefined : new Date(at).toISOString(),
    )
  })

  it('can be in the next year', () => {
    const december = Date.parse('2026-12-30T10:00:00Z')
    expect(resetTime('resets Jan 2, 9am (UTC)', december)).toBe(Date.parse('2027-01-02T09:00:00Z'))
  })

  const changes: [now: string, text: string, at: string][] = [
    ['2026-10-24T20:00:00Z', 'resets 8am (Europe/Berlin)', '2026-10-25T07:00:00Z'],
    // An hour that is skipped.
    ['2026-03-08T06:35:00Z', 'resets 2:30am (America/New_York)', '2026-03-08T07:30:00Z'],
    ['2026-03-08T06:35:00Z', 'resets Mar 8, 2:30am (America/New_York)', '2026-03-08T07:30:00Z'],
    ['2026-03-07T20:00:00Z', 'resets 2:30am (America/New_York)', '2026-03-08T07:30:00Z'],
    ['2026-03-07T20:00:00Z', 'resets Sunday 2:30am (America/New_York)', '2026-03-08T07:30:00Z'],
    ['2026-03-08T06:35:00Z', 'resets 3am (America/New_York)', '2026-03-08T07:00:00Z'],
    ['2026-03-29T00:40:00Z', 'resets 2:30am (Europe/Berlin)', '2026-03-29T01:30:00Z'],
    ['2026-10-03T15:00:00Z', 'resets 2:15am (Australia/Lord_Howe)', '2026-10-03T15:45:00Z'],
    // An hour that comes twice.
    ['2026-11-01T05:10:00Z', 'resets 1:30am (America/New_York)', '2026-11-01T05:30:00Z'],
    ['2026-11-01T05:45:00Z', 'resets 1:30am (America/New_York)', '2026-11-01T06:30:00Z'],
    ['2026-11-01T07:10:00Z', 'resets 1:30am (America/New_York)', '2026-11-02T06:30:00Z'],
  ]
  it.each(changes)('allows for a change of the clocks: at %s, %s', (at, text, until) => {
    expect(new Date(resetTime(text, Date.parse(at)) ?? 0).toISOString()).toBe(new Date(until).toISOString())
  })

  it('at a time of day is within a day, also where clocks change', () => {
    for (const zone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Cairo'])
      for (let hour = 0; hour < 366 * 24; hour += 5) {
        const at = Date.parse('2026-01-01T00:10:00Z') + hour * 3_600_000
        const text = `resets ${hour % 24}:45 (${zone})`
        // It has just passed.
        const until = resetTime(text, at) ?? (resetTime(text, at - 1_800_000) ?? 0) + 1_800_000
        expect((until - at) / 3_600_000, `${new Date(at).toISOString()} ${zone}`).toSatisfy((h) => h > 0 && h <= 25)
      }
  })

  it('is in the future and at most eight days away, for any text and time', () => {
    const piece = fc.constantFrom(
      'resets',
      'try again',
      'in',
      'at',
      '5',
      '12',
      '3pm',
      '14:30',
      'Jul 25,',
      'h',
      'days',
      '1784728800',
      '(UTC)',
      '-',
      ':',
    )
    const words = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((all) => all.join(' ')),
    )
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: -720, max: 840 }), (text, at, ahead) => {
        const found = resetTime(text, at, () => ahead)
        if (found !== undefined) expect(found > at && found - at <= 8 * 86_400_000).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('durations', () => {
  const spans: [text: string, ms: number | undefined][] = [
    ['1h2m3s', 3_723_000],
    ['5 days, 2 hours and 1 minute', 439_260_000],
    ['2 apples', undefined],
    ['2 hours of apples', 7_200_000],
    ['5 mice', undefined],
    ['soon', undefined],
  ]
  it.each(spans)('%s is %s ms', (text, ms) => {
    expect(durationAt(text)).toBe(ms)
  })
})

describe('time zones', () => {
  const places = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Pacific/Kiritimati',
  ]
  it.each(places)('local time in %s converts back to the same moment', (place) => {
    const offset = offsetOf(place)!
    // Once a day for a year, at varying hours, so that both clock changes are covered.
    for (let day = 0; day < 366; day++) {
      const at = Date.parse('2026-01-01T00:00:00Z') + day * 86_400_000 + (day % 24) * 3_600_000
      const back = momentOf(wallAt(at, offset), offset)
      // In the hour that occurs twice, either result is right.
      expect([0, 30, 60]).toContain(Math.abs(back - at) / 60_000)
    }
  })

  it('that are unknown have no offset', () => {
    expect(offsetOf('Atlantis/Poseidonis')).toBeUndefined()
  })
})
