import { readSync } from 'node:fs'
import { LONGEST_LINE } from './line.ts'

const CHUNK = 1024 * 1024
const NEWLINE = 10
const NONE = Buffer.alloc(0)

export interface Line {
  /** Without its newline. Good until the next line is asked for; empty for a line longer than any event. */
  readonly bytes: Buffer
  readonly start: number
  /** Where the next line begins. */
  readonly end: number
  /** False for a last line without newline. */
  readonly terminated: boolean
}

/** The lines of a file between two offsets, in memory that does not grow with the file. */
export function* readLines(fd: number, from: number, to: number): Generator<Line, void> {
  let buffer: Buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, to - from)))
  let held = 0
  let base = from
  let overlong: number | undefined
  for (;;) {
    const room = Math.min(buffer.length - held, to - base - held)
    const got = room > 0 ? readSync(fd, buffer, held, room, base + held) : 0
    const filled = buffer.subarray(0, held + got)
    let begin = 0
    for (let newline = filled.indexOf(NEWLINE, held); newline >= 0; newline = filled.indexOf(NEWLINE, begin)) {
      const end = base + newline + 1
      const bytes = overlong === undefined ? filled.subarray(begin, newline) : NONE
      yield { bytes, start: overlong ?? base + begin, end, terminated: true }
      overlong = undefined
      begin = newline + 1
    }
    held = filled.length - begin
    if (got === 0) {
      const start = overlong ?? base + begin
      const bytes = overlong === undefined ? filled.subarray(begin) : NONE
      if (base + filled.length > start) yield { bytes, start, end: base + filled.length, terminated: false }
      return
    }
    base += begin
    if (overlong !== undefined || held > LONGEST_LINE) {
      overlong ??= base
      base += held
      held = 0
    } else if (begin > 0) {
      buffer.copy(buffer, 0, begin, begin + held)
    } else if (held === buffer.length) {
      const larger = Buffer.allocUnsafe(buffer.length * 2)
      buffer.copy(larger, 0, 0, held)
      buffer = larger
    }
  }
}

/** The lines from the end of the file to its beginning, for those who want only the last few. */
export function* readLinesBackwards(fd: number, size: number): Generator<Line, void> {
  let to = size
  let pending = NONE
  let base = size
  let terminated = false
  while (base > 0) {
    const length = Math.min(Math.max(CHUNK / 16, pending.length), base)
    const chunk = Buffer.allocUnsafe(length + pending.length)
    base -= length
    readSync(fd, chunk, 0, length, base)
    pending.copy(chunk, length)
    let end = chunk.length
    let newline = chunk.lastIndexOf(NEWLINE, length - 1)
    while (newline >= 0) {
      const start = base + newline + 1
      if (start < to) yield { bytes: chunk.subarray(newline + 1, end), start, end: to, terminated }
      terminated = true
      to = start
      end = newline
      newline = newline === 0 ? -1 : chunk.lastIndexOf(NEWLINE, newline - 1)
    }
    pending = chunk.subarray(0, end)
    if (pending.length > LONGEST_LINE) throw new RangeError('a line is longer than any event')
  }
  if (to > 0) yield { bytes: pending, start: 0, end: to, terminated }
}
