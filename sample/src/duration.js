/** Seconds of a duration such as "1h 30m". */
export function parse(_text) {
  throw new Error('not written yet')
}

/** The shortest form of so many seconds. */
export function format(_seconds) {
  throw new Error('not written yet')
}
