import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Commits of an unfinished merge, cherry-pick or revert. */
const COMMITS = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']
/** Its messages, and the ignore list of this clone. */
const TEXTS = ['MERGE_MSG', 'MERGE_MODE', 'SQUASH_MSG', 'info/exclude']
/** The only files of `.git` that are transferred. None of them can make git run anything. */
export const NOTES: ReadonlySet<string> = new Set([...COMMITS, ...TEXTS])

/** These continue from a list of commands, which is never transferred to another machine. */
const UNFINISHED: readonly (readonly [path: string, what: string])[] = [
  ['rebase-merge', 'the rebase in progress'],
  ['rebase-apply', 'the rebase or am in progress'],
  ['sequencer', 'the rest of the cherry-pick or revert in progress'],
  ['BISECT_LOG', 'the bisect in progress'],
]
const MAX_BYTES = 256 * 1024

export interface GitNotes {
  readonly notes: Readonly<Record<string, string>>
  readonly commits: readonly string[]
  readonly omitted: readonly string[]
}

/** The small files of `.git` that describe an unfinished operation. */
export async function notesOf(
  gitDir: string,
  commitOf: (name: string) => Promise<string | undefined>,
): Promise<GitNotes> {
  const notes: Record<string, string> = {}
  const commits: string[] = []
  for (const name of COMMITS) {
    const named = (plainText(join(gitDir, name)) ?? '').split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))
    const known = (await Promise.all(named.map(commitOf))).filter((oid) => oid !== undefined)
    if (known.length > 0) notes[name] = `${known.join('\n')}\n`
    commits.push(...known)
  }
  for (const name of TEXTS) {
    const text = plainText(join(gitDir, name))
    if (text !== undefined) notes[name] = text
  }
  const omitted = UNFINISHED.filter(([path]) => existsSync(join(gitDir, path))).map(([, what]) => what)
  return { notes, commits, omitted }
}

/** Undefined if it is missing, a link, not a regular file or too long; then git didn't write it. */
function plainText(path: string): string | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const found = fstatSync(fd)
      return found.isFile() && found.size <= MAX_BYTES ? readFileSync(fd, 'latin1') : undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}
