import { join } from 'node:path'
import type { FileDiff } from '../core/file-diff.ts'
import type { ChangedFile } from '../core/loop-event.ts'
import { changedSince } from './baseline/changed.ts'
import { statOf } from './baseline/content-id.ts'
import { idInBaseline, isFull } from './baseline/stored-baseline.ts'
import { fileDiff } from './checks/review-changes.ts'
import type { Baseline, Workspace } from './types.ts'
import { linesIn } from './work-diff.ts'

/** What one iteration changed, as numbers and as a unified diff of each file. */
interface IterationDiff {
  readonly files: readonly ChangedFile[]
  readonly texts: readonly string[]
}

/** A changed file as it was after the previous iteration. */
interface Seen {
  /** Differs when the file was written again. */
  readonly stamp: string
  /** Absent if the file is gone, binary or too large to remember. */
  readonly text?: string
}

const GONE = 'gone'
const MOST_FILES = 2_000
const MOST_REMEMBERED = 32 * 1024 * 1024
const MOST_DIFF = 8 * 1024 * 1024

/** Compares the tree after each iteration with the one before. It reads only files that were written since. */
export class IterationDiffs {
  readonly #seen = new Map<string, Seen>()
  #remembered = 0

  async next(workspace: Workspace, baseline: Baseline): Promise<IterationDiff> {
    const changed = await changedSince(baseline, workspace)
    const written = [...new Set([...changed, ...this.#seen.keys()])]
      .map((path) => ({ path, stamp: stampOf(workspace, path) }))
      .filter(({ path, stamp }) => this.#seen.get(path)?.stamp !== stamp)
      .slice(0, MOST_FILES)
    const isNew = (path: string): boolean => !this.#seen.has(path)
    if (isFull(baseline)) baseline.preload(written.map(({ path }) => path).filter(isNew))
    const files: ChangedFile[] = []
    const texts: string[] = []
    let room = MOST_DIFF
    for (const { path, stamp } of written) {
      const before = this.#before(path, baseline)
      const after = stamp === GONE ? '' : workspace.read(path)
      this.#remember(path, { stamp, ...(after !== undefined && { text: after }) })
      if (before.text === after && before.isThere === (stamp !== GONE)) continue
      const { diff, added, removed } = fileDiff(oneLine(path), before.isThere, stamp !== GONE, before.text, after)
      files.push({ path, ...(added !== undefined && removed !== undefined && { added, removed }) })
      const text = diff.length <= room ? diff : namesOnly(diff)
      room -= text.length
      texts.push(`${FILE}${oneLine(path)}\n${text}`)
    }
    return { files, texts }
  }

  #before(path: string, baseline: Baseline): { readonly isThere: boolean; readonly text?: string | undefined } {
    const seen = this.#seen.get(path)
    if (seen !== undefined) return { isThere: seen.stamp !== GONE, text: seen.text }
    const isThere = idInBaseline(baseline, path) !== undefined
    return { isThere, text: isThere ? baseline.read(path) : '' }
  }

  #remember(path: string, { stamp, text }: Seen): void {
    const others = this.#remembered - (this.#seen.get(path)?.text?.length ?? 0)
    const fits = text !== undefined && others + text.length <= MOST_REMEMBERED
    this.#remembered = others + (fits ? text.length : 0)
    this.#seen.set(path, fits ? { stamp, text } : { stamp })
  }
}

/** A line of a hunk never starts like this. */
const FILE = 'diff --git '
const TOO_LARGE = '[not shown: the diff of this iteration is too large]'

const namesOnly = (diff: string): string => `${diff.split('\n', 2).join('\n')}\n${TOO_LARGE}\n`

/** A name with a line break must not look like another file. */
const oneLine = (path: string): string => path.replace(/[\r\n]/g, '\u240d')

/** The files of a stored diff. Lines that are not part of one are ignored. */
export function filesInDiff(text: string): readonly FileDiff[] {
  return `\n${text}`
    .split(`\n${FILE}`)
    .slice(1)
    .map((part) => {
      const [path = '', before = '', after = '', ...rest] = part.split('\n')
      const status = before === '--- /dev/null' ? 'added' : after === '+++ /dev/null' ? 'deleted' : 'modified'
      const body = rest.join('\n')
      if (!body.startsWith('@@'))
        return { path, status, added: 0, removed: 0, why: /^\[(?:not shown: )?(.*)\]/.exec(body)?.[1] ?? 'empty' }
      const hunks = body.endsWith('\n') ? body : `${body}\n`
      return { path, status, ...linesIn(hunks), hunks }
    })
}

function stampOf({ dir }: Workspace, path: string): string {
  const stat = statOf(join(dir, path))
  return stat === undefined ? GONE : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`
}
