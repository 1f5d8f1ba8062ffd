import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from './types.ts'

type Git = (args: readonly string[]) => Promise<string | undefined>

export interface StatusEntry {
  /** The status line without the path: kinds of change and object ids. */
  readonly status: string
  /** From the top of the repository; ends in `/` for a repository inside this one that it does not know. */
  readonly path: string
}

export interface Status {
  /** The commit checked out; absent before the first one. */
  readonly head?: string
  /** Its tree in the folder that was asked about; absent where it has none. */
  readonly tree?: string
  readonly top: string
  /** From the top to the folder that was asked about; empty or ending in `/`. */
  readonly prefix: string
  readonly entries: readonly StatusEntry[]
  /** Files git was told to take for unchanged, from the folder that was asked about. */
  readonly hidden: readonly string[]
}

/** Ordinary entries have eight fields before the path, conflicts ten, untracked files one. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

function parse(out: string): Pick<Status, 'head' | 'entries'> {
  const entries: StatusEntry[] = []
  let head: string | undefined
  for (const line of out.split('\0')) {
    const oid = /^# branch\.oid ([0-9a-f]{40,64})$/.exec(line)
    if (oid !== null) head = oid[1]!
    const fields = FIELDS[line[0] ?? '']
    if (fields === undefined) continue
    const parts = line.split(' ')
    entries.push({ status: parts.slice(0, fields).join(' '), path: parts.slice(fields).join(' ') })
  }
  return { ...(head !== undefined && { head }), entries }
}

/** Top, prefix, and the tree of the commit checked out where there is one. */
export const PLACE = ['rev-parse', '--show-toplevel', '--show-prefix', '--revs-only', 'HEAD:./'] as const
/** `H 100644 <id> 0\t<path>` for every file that git knows. */
export const INDEX = ['ls-files', '-s', '-v', '-z'] as const
const ASKED = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--untracked-files=all']

/** What git says about the folder, or about another one with `-C`; a sentence when it says nothing. */
export async function statusOf(workspace: Workspace, folder?: string): Promise<Status | string> {
  const git: Git = (args) => workspace.git(folder === undefined ? args : ['-C', folder, ...args])
  const [out, place, listed] = await Promise.all([
    git([...ASKED, '--ignore-submodules=none', '--', '.']),
    git(PLACE),
    git(INDEX),
  ])
  if (out === undefined || place === undefined) return whyNothing(git)
  const [top = '', prefix = '', tree = ''] = place.split('\n')
  if (prefix !== '' && (await git(['check-ignore', '-q', '.'])) !== undefined) {
    return 'The repository around this directory ignores it.'
  }
  const hidden = await hiddenIn(git, listed ?? '', join(top, prefix))
  return { ...parse(out), ...(tree !== '' && { tree }), top, prefix, hidden }
}

/**
 * A small letter marks a file that was declared unchanged by hand, an S one that need not be there: whatever was done
 * to them, `status` stays silent. Where only part of the tree is checked out, those that are absent are meant to be.
 */
async function hiddenIn(git: Git, listed: string, folder: string): Promise<readonly string[]> {
  const marked = listed.split('\0').filter((line) => /^[a-zS] /.test(line))
  const pathOf = (line: string) => line.slice(line.indexOf('\t') + 1)
  if (!marked.some((line) => line.startsWith('S'))) return marked.map(pathOf)
  const partly = (await git(['config', '--bool', 'core.sparseCheckout']))?.trim() === 'true'
  const meant = (line: string) => partly && /^[Ss]/.test(line) && !existsSync(join(folder, pathOf(line)))
  return marked.filter((line) => !meant(line)).map(pathOf)
}

async function whyNothing(git: Git): Promise<string> {
  if ((await git(['version'])) === undefined) return 'Git or the directory is missing.'
  if ((await git(['rev-parse', '--is-inside-work-tree'])) === undefined) return 'This is not a git repository.'
  return 'Git could not tell what has changed.'
}
