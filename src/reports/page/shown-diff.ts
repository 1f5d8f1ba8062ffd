import type { FileDiff } from '../../core/file-diff.ts'
import type { SafeText } from './safe-text.ts'
import type { Diff } from './types.ts'

/** Characters of hunks. A browser can show more, but you won't read it. */
export const MOST_DIFF_CHARACTERS = 8 * 1024 * 1024
const LEFT_OUT = 'left out, because there is too much to show'

/** A diff for people: redacted, and without hunks once there is no room left. `see` says where the rest is. */
export function shownDiff(files: readonly FileDiff[], room: { left: number }, safe: SafeText, see: string): Diff {
  const sum = (of: (file: FileDiff) => number): number => files.reduce((all, file) => all + of(file), 0)
  let leftOut = 0
  const shown = files.map(({ hunks, from, ...file }): FileDiff => {
    const named = {
      ...file,
      path: safe.line(file.path, 400),
      ...(from !== undefined && { from: safe.line(from, 400) }),
    }
    if (hunks === undefined) return file.why === undefined ? named : { ...named, why: safe.line(file.why, 400) }
    if (hunks.length > room.left) {
      leftOut += 1
      return { ...named, why: LEFT_OUT }
    }
    room.left -= hunks.length
    // A carriage return inside a line must not become a line of its own.
    return { ...named, hunks: safe.block(hunks.replaceAll('\r', '\u240d'), Number.POSITIVE_INFINITY) }
  })
  const rest = `${leftOut === 1 ? '1 file is' : `${leftOut.toLocaleString('en')} files are`} too large to show here. ${see}`
  return {
    files: shown,
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
    ...(leftOut > 0 && { rest }),
  }
}

/** How to see a whole diff. */
export const seeWith = (command: string | undefined): string =>
  command === undefined ? 'Open them in your editor.' : `\`${command}\` shows what git tracks.`
