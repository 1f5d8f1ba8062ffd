import { fsPath } from '../../system/file-names.ts'
import { askGit } from '../../system/git.ts'

/** Reading fewer files ourselves is faster than starting a process. */
const FEWEST = 500
/** In parallel, because the disk is the bottleneck. */
const MOST_PROCESSES = 8
const DEADLINE_MS = 600_000

/**
 * Ids of the contents of many regular files by path, from git's own hashing; nothing of the repository influences them. A path may
 * be missing: the caller reads that file itself.
 */
export async function hashFiles(dir: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>()
  // Each path is one line of git's input.
  const plain = paths.length < FEWEST || dir.includes('\n') ? [] : paths.filter((path) => !path.includes('\n'))
  const size = Math.max(FEWEST, Math.ceil(plain.length / MOST_PROCESSES))
  const parts: (readonly string[])[] = []
  for (let at = 0; at < plain.length; at += size) parts.push(plain.slice(at, at + size))
  await Promise.all(
    parts.map(async (part) => {
      const input = Buffer.concat(part.map((path) => Buffer.from(fsPath(`${dir}/${path}\n`))))
      const args = ['hash-object', '--no-filters', '--stdin-paths']
      const { out } = await askGit(dir, args, process.env, { input, deadlineMs: DEADLINE_MS })
      const lines = out.split('\n')
      if (lines.length === part.length + 1) for (const [at, path] of part.entries()) ids.set(path, lines[at]!)
    }),
  )
  return ids
}
