import { diffOfFiles } from '../../packages/exitgate/src/tree/line-diff.ts'
import type { FileDiff } from '../core/file-diff.ts'
import { linesIn } from './work-diff.ts'

/** More pairs of files are not compared, as in git. */
const MOST_PAIRS = 2_500
/** The share of lines that both files have. */
const SIMILAR = 0.5

interface Text {
  readonly file: FileDiff
  readonly text: string
  readonly lines: readonly string[]
}

/** A deleted file and an added one with about the same lines are shown as one renamed file. */
export function withRenames(files: readonly FileDiff[]): readonly FileDiff[] {
  const [gone, added] = [textsOf(files, 'deleted'), textsOf(files, 'added')]
  const renamed = new Map<FileDiff, FileDiff>()
  const used = new Set<FileDiff>()
  const pair = (from: Text, to: Text): void => {
    const hunks = diffOfFiles(from.text, to.text)
    const same = { path: to.file.path, from: from.file.path, status: 'renamed' } as const
    used.add(from.file)
    renamed.set(to.file, { ...same, ...linesIn(hunks), ...(hunks === '' ? {} : { hunks }) })
  }
  const byText = new Map(gone.map((each) => [each.text, each]))
  for (const to of added) {
    const from = byText.get(to.text)
    if (from !== undefined && !used.has(from.file)) pair(from, to)
  }
  if (gone.length * added.length <= MOST_PAIRS)
    for (const to of added.filter(({ file }) => !renamed.has(file))) {
      const left = gone.filter(({ file }) => !used.has(file)).map((from) => ({ from, share: shareOf(from, to) }))
      const best = left.reduce((most, each) => (each.share > most.share ? each : most), { from: to, share: 0 })
      if (best.share >= SIMILAR) pair(best.from, to)
    }
  return files.filter((file) => !used.has(file)).map((file) => renamed.get(file) ?? file)
}

/** Whole texts: the hunks of an added or deleted file contain all of it. */
function textsOf(files: readonly FileDiff[], status: FileDiff['status']): readonly Text[] {
  return files.flatMap((file) => {
    if (file.status !== status || file.hunks === undefined) return []
    const rows = file.hunks.replace(/\n$/, '').split('\n').slice(1)
    const ends = rows.at(-1)?.startsWith('\\') !== true
    const lines = (ends ? rows : rows.slice(0, -1)).map((row) => row.slice(1))
    return [{ file, lines, text: lines.join('\n') + (ends ? '\n' : '') }]
  })
}

function shareOf(one: Text, other: Text): number {
  const most = Math.max(one.lines.length, other.lines.length)
  if (Math.min(one.lines.length, other.lines.length) < SIMILAR * most) return 0
  const left = new Map<string, number>()
  for (const line of one.lines) left.set(line, (left.get(line) ?? 0) + 1)
  let common = 0
  for (const line of other.lines) {
    const count = left.get(line) ?? 0
    if (count > 0) common += 1
    left.set(line, count - 1)
  }
  return common / most
}
