const DAY = 86_400_000
/** No provider's limit lasts longer than a week; a later time was misread. */
const LATEST = 8 * DAY
/** A time of day that has just passed does not mean tomorrow. An agent may have retried for a while before it said so. */
const JUST_NOW = 30 * 60_000
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Words that come before the end of a limit. */
const CUE =
  /\b(?:retry[-_]after(?:-ms|_ms|_seconds)?|retry_?delay|resets?_(?:at|in(?:_seconds)?)|resets?|renews?|try again|retry|available again|wait|until)\b/gi

/** Between the cue and the time: a colon, JSON quotes, a short word. */
const LINK =
  /^["'\s:=,~]*(?:(?:will|at|on|in|after|for|until|again|about|quota|reset|resets|is|the|your|limit)\b["'\s:=,~]*){0,5}/i

/** When a limit ends, read from a message of a provider or agent; undefined without a plausible time. */
export function resetTime(text: string, now: number, offset: Offset = localOffset): number | undefined {
  for (const cue of text.slice(0, 4000).matchAll(CUE)) {
    const rest = text.slice(cue.index + cue[0].length, cue.index + cue[0].length + 120)
    const at = timeAt(rest.replace(LINK, ''), cue[0].toLowerCase(), now, offset)
    const sensible = at === undefined ? undefined : sensibleTime(at, now)
    if (sensible !== undefined) return sensible
  }
  return undefined
}

/** The time, if it is in the future and not too far away. */
export function sensibleTime(at: number, now: number): number | undefined {
  return at > now && at - now <= LATEST ? at : undefined
}

function timeAt(text: string, cue: string, now: number, offset: Offset): number | undefined {
  return (
    epochAt(text) ??
    isoAt(text, offset) ??
    dateAt(text, now, offset) ??
    relativeAt(text, cue, now) ??
    timeOfDayAt(text, now, offset)
  )
}

function epochAt(text: string): number | undefined {
  const digits = /^(\d{10}|\d{13})(?!\d)/.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits) * (digits.length === 10 ? 1000 : 1)
}

/** Without a zone it is local time, because the agent printed it for its user. */
function isoAt(text: string, offset: Offset): number | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::\d\d)?(?:\.\d{1,9})?\s?(Z|UTC|[+-]\d\d:?\d\d)?/i.exec(text)
  if (found === null) return undefined
  const [whole, year, month, day, hour, minute, zone] = found
  if (zone !== undefined) {
    const at = Date.parse(whole.replace(' ', 'T').replace(/\s?(?:UTC|Z)$/i, 'Z'))
    return Number.isNaN(at) ? undefined : at
  }
  const wall = {
    year: Number(year),
    month: Number(month) - 1,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
  }
  return momentOf(wall, offset)
}

function relativeAt(text: string, cue: string, now: number): number | undefined {
  const bare = /^(\d{1,7}(?:\.\d{1,9})?)(?![\d.:]|\s?[a-z])/i.exec(text)?.[1]
  // A header or JSON field has its unit in its name; the default is seconds.
  if (bare !== undefined && /[-_]/.test(cue)) return now + Number(bare) * (/ms$/.test(cue) ? 1 : 1000)
  const ms = durationAt(text)
  return ms === undefined ? undefined : now + ms
}

const TIME = /^(?:at\s+)?(\d{1,2})(?::(\d\d))?(?::\d\d)?\s?([ap])\.?m\b\.?|^(?:at\s+)?(\d{1,2}):(\d\d)(?!\d)/i

interface Clock {
  readonly hour: number
  readonly minute: number
  readonly rest: string
}

function clockAt(text: string): Clock | undefined {
  const found = TIME.exec(text)
  if (found === null) return undefined
  const [whole, twelve, minutes, half, full, fullMinutes] = found
  const hour = full === undefined ? (Number(twelve) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0) : Number(full)
  const minute = Number((full === undefined ? minutes : fullMinutes) ?? 0)
  const fits = hour < 24 && minute < 60 && (full !== undefined || (Number(twelve) >= 1 && Number(twelve) <= 12))
  return fits ? { hour, minute, rest: text.slice(whole.length) } : undefined
}

/** `(Europe/Berlin)` or `UTC` after a time. With an unknown zone, the time is useless. */
function zoneAt(text: string, offset: Offset): Offset | undefined {
  const named =
    /^\s*\(([A-Za-z_]{1,30}(?:\/[A-Za-z0-9_+-]{1,30}){0,2})\)/.exec(text)?.[1] ?? /^\s*(UTC|GMT)\b/.exec(text)?.[1]
  return named === undefined ? offset : offsetOf(named)
}

/** `Jul 25, 9pm`, `Oct 9 at 5pm`, `Aug 20th, 2026 7:38 AM`, or time first: `21:13 on 2 Mar`. */
function dateAt(text: string, now: number, offset: Offset): number | undefined {
  const named = /^([a-z]{3})[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?,? +/i.exec(text)
  const before = named === null ? undefined : clockAt(text.slice(named[0].length))
  const timeFirst = clockAt(text)
  const dateAfter = timeFirst === undefined ? null : /^ on (\d{1,2}) ([a-z]{3})[a-z]{0,6}\b/i.exec(timeFirst.rest)
  const clock = before ?? (dateAfter === null ? undefined : timeFirst)
  const month = MONTHS.indexOf((before === undefined ? dateAfter?.[2] : named?.[1])?.toLowerCase() ?? '')
  if (clock === undefined || month === -1) return undefined
  const day = Number(before === undefined ? dateAfter?.[1] : named?.[2])
  const zone = zoneAt(clock.rest, offset)
  if (zone === undefined || day < 1 || day > 31) return undefined
  const inYear = (year: number) => momentOf({ year, month, day, hour: clock.hour, minute: clock.minute }, zone)
  if (before !== undefined && named?.[3] !== undefined) return inYear(Number(named[3]))
  const year = wallAt(now, zone).year
  // In December, a limit may end in January.
  return inYear(year) < now - LATEST ? inYear(year + 1) : inYear(year)
}

/** A time of day means the next such time, unless a weekday before it or `tomorrow` after it says otherwise. */
function timeOfDayAt(text: string, now: number, offset: Offset): number | undefined {
  const dayName = /^([a-z]{3})[a-z]{0,6}\.?,? +(?:at +)?/i.exec(text)
  const weekday = WEEKDAYS.indexOf(dayName?.[1]?.toLowerCase() ?? '')
  const clock = clockAt(weekday === -1 ? text : text.slice(dayName?.[0].length ?? 0))
  const zone = clock === undefined ? undefined : zoneAt(clock.rest, offset)
  if (clock === undefined || zone === undefined) return undefined
  const today = wallAt(now, zone)
  const onDay = (days: number) =>
    momentOf({ ...today, day: today.day + days, hour: clock.hour, minute: clock.minute }, zone, now)
  if (weekday !== -1) {
    const days = (weekday - today.weekday + 7) % 7
    return onDay(days) > now - JUST_NOW ? onDay(days) : onDay(days + 7)
  }
  if (/^\s*tomorrow\b/i.test(clock.rest)) return onDay(1)
  return onDay(0) > now - JUST_NOW ? onDay(0) : onDay(1)
}

const UNITS: readonly (readonly [unit: RegExp, ms: number])[] = [
  [/^(?:ms|msecs?|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
  [/^(?:d|days?)$/, 86_400_000],
  [/^(?:w|weeks?)$/, 604_800_000],
]

const PIECE = /^[\s,]*(?:and\s+)?(?:~|about |less than )?\s*(\d{1,9}(?:\.\d{1,9})?|an?(?= ))\s*([a-z]{1,12})(?![a-z])/i

/** A duration at the start of a text, in ms: `2h 13m`, `5 days 22 hours`, `33.5s`, `less than a minute`. */
export function durationAt(text: string): number | undefined {
  let rest = text
  let sum: number | undefined
  for (let piece = PIECE.exec(rest); piece !== null; piece = PIECE.exec(rest)) {
    const unit = UNITS.find(([names]) => names.test((piece?.[2] ?? '').toLowerCase()))
    if (unit === undefined) break
    const count = /^\d/.test(piece[1] ?? '') ? Number(piece[1]) : 1
    sum = (sum ?? 0) + count * unit[1]
    // `1h2m3s` has no blank between its pieces.
    rest = rest.slice(piece[0].length)
  }
  return sum
}

/** How many minutes local time is ahead of UTC. */
export type Offset = (at: number) => number

/** The time zone of this machine. */
export const localOffset: Offset = (at) => -new Date(at).getTimezoneOffset()

/** A zone of the time zone database, or UTC; undefined for an unknown name. */
export function offsetOf(zone: string): Offset | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    const parts = (at: number) =>
      Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    return (at) => {
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts(at)
      const wall = Date.UTC(year < 100 ? year + 2000 : year, month - 1, day, hour, minute, second)
      return Math.round((wall - Math.floor(at / 1000) * 1000) / 60_000)
    }
  } catch {
    return undefined
  }
}

interface Wall {
  readonly year: number
  /** From 0. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

/** The local date and time. */
export function wallAt(at: number, offset: Offset): Wall & { readonly weekday: number } {
  const date = new Date(at + offset(at) * 60_000)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    weekday: date.getUTCDay(),
  }
}

/** When local clocks show this: of two such moments the first after `after`. A time that is skipped is that much later. */
export function momentOf({ year, month, day, hour, minute }: Wall, offset: Offset, after = 0): number {
  const wall = Date.UTC(year, month, day, hour, minute)
  const [before = 0, later = 0] = [wall - DAY, wall + DAY].map((at) => wall - offset(at) * 60_000)
  const real = [before, later].filter((at) => at + offset(at) * 60_000 === wall)
  return real.find((at) => at > after) ?? real[0] ?? before
}
