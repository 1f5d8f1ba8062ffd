/** Seconds of a duration such as "1h 30m". */
export function parse(text) {
  const match = /^(?:(\d+)h)?\s*(?:(\d+)m)?\s*(?:(\d+)s)?$/.exec(text.trim())
  if (!match || text.trim() === '') throw new RangeError(`not a duration: ${text}`)
  const [, h = 0, m = 0, s = 0] = match
  return h * 3600 + m * 60 + Number(s)
}

/** The shortest form of so many seconds. */
export function format(seconds) {
  const parts = [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'm'], [seconds % 60, 's']]
  return parts.filter(([n]) => n > 0).map(([n, unit]) => n + unit).join(' ') || '0s'
}
