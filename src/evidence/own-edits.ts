import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { digest } from '../system/digest.ts'
import { makeFolder, writeFileAtomic } from '../system/files.ts'
import type { SourceView } from './tampering/finding.ts'

/** What exitgate itself wrote for the user: for each file, the digests of its texts, and the first folder that had to be created. */
type OwnEdits = Readonly<Record<string, { readonly texts: readonly string[]; readonly created?: string }>>

export type IsOwnEdit = (path: string, before: SourceView, after: SourceView) => boolean

const fileIn = (stateDir: string): string => join(stateDir, 'own-edits.json')
const ABSENT = 'absent'
const idOf = (text: string | undefined): string => (text === undefined ? ABSENT : digest(text))
/** Older texts are not needed any more. */
const MOST_TEXTS = 20

function read(stateDir: string): OwnEdits {
  try {
    const { files } = JSON.parse(readFileSync(fileIn(stateDir), 'utf8')) as { readonly files?: OwnEdits }
    return files ?? {}
  } catch {
    // Nothing was recorded, or it can't be read: then every change counts as one of the agent.
    return {}
  }
}

/** Records that exitgate changed a file at the user's request. A folder is given only if it was created for the file. */
export function recordOwnEdit(
  stateDir: string,
  path: string,
  { before, after, created }: { readonly before?: string; readonly after?: string; readonly created?: string },
): void {
  const files = read(stateDir)
  const kept = files[path]
  const earlier = kept?.texts.at(-1) === idOf(before) ? kept.texts : [idOf(before)]
  const folder = created ?? (after === undefined ? undefined : kept?.created)
  const edit = {
    texts: [...earlier, idOf(after)].slice(-MOST_TEXTS),
    ...(folder === undefined ? {} : { created: folder }),
  }
  makeFolder(dirname(fileIn(stateDir)))
  writeFileAtomic(fileIn(stateDir), `${JSON.stringify({ v: 1, files: { ...files, [path]: edit } })}\n`)
}

/** The first folder that exitgate created for a file; undefined if it was already there, `unknown` if nothing is recorded. */
export function createdFolder(stateDir: string, path: string): string | 'unknown' | undefined {
  const kept = read(stateDir)[path]
  return kept === undefined ? 'unknown' : kept.created
}

/**
 * Whether exitgate's own edits are the whole difference between two texts of a file. The newer text must be the last one that
 * exitgate wrote, so undoing its edit is still a change.
 */
export function ownEditsIn(stateDir: string): IsOwnEdit {
  const files = read(stateDir)
  return (path, before, after) => {
    const texts = Object.hasOwn(files, path) ? files[path]?.texts : undefined
    return texts !== undefined && texts.at(-1) === idOf(after.read(path)) && texts.includes(idOf(before.read(path)))
  }
}
