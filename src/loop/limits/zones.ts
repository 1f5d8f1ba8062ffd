/** Minutes that a clock on the wall is ahead of UTC at a moment. */
export type Offset = (at: number) => number

/** The clock of this machine. */
export const localOffset: Offset = (at) => -new Date(at).getTimezoneOffset()

/** The clock of a place by its name in the time zone database, or UTC; nothing for a name that is not known. */
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

export interface Wall {
  readonly year: number
  /** From 0. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

/** What the clock on the wall shows. */
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

/** The moment at which the clock on the wall shows this. Asked twice, because the clock may have been changed in between. */
export function momentOf({ year, month, day, hour, minute }: Wall, offset: Offset): number {
  const wall = Date.UTC(year, month, day, hour, minute)
  const near = wall - offset(wall) * 60_000
  return wall - offset(near) * 60_000
}
