import { createHash } from 'node:crypto'
import { accessSync, constants, lstatSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Environment } from '../../system/environment.ts'
import { askGit, type GitInput, repositoryRoot } from '../../system/git.ts'
import { FleetError } from '../errors.ts'
import { notesOf } from './git-notes.ts'
import type { RawPlace } from './raw-repository.ts'
import type { IndexEntry, WorkManifest } from './types.ts'

/** Git doesn't track folders, but a test may need an empty one for its output. */
const MAX_FOLDERS = 20_000

/** Empty folders in and below untracked folders. Paths are strings of bytes. */
function emptyFolders(top: string, untracked: readonly string[]): readonly string[] {
  const found: string[] = []
  const waiting = untracked.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1))
  for (let visited = 0; waiting.length > 0 && visited < MAX_FOLDERS; visited++) {
    const folder = waiting.pop() ?? ''
    if (folder === '.exitgate') continue
    const inside = entriesOf(top, folder)
    if (inside === undefined) continue
    if (inside.length === 0) found.push(folder)
    // A nested repository is left out completely.
    if (inside.some(({ name }) => name === '.git')) continue
    for (const { name, isFolder } of inside) if (isFolder) waiting.push(`${folder}/${name}`)
  }
  return found.sort()
}

function entriesOf(top: string, folder: string) {
  try {
    const place = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(folder, 'latin1')])
    const entries = readdirSync(place, { encoding: 'buffer', withFileTypes: true })
    return entries.map((entry) => ({ name: entry.name.toString('latin1'), isFolder: entry.isDirectory() }))
  } catch {
    return undefined
  }
}

const MEGABYTE = 1024 * 1024
/** The largest file common git hosts accept, and the most a worker should have to fetch in a takeover. */
const MAX_FILE_BYTES = 100 * MEGABYTE
const MAX_TOTAL_BYTES = 1024 * MEGABYTE
const MAX_HEADS = 200

/** The agent's repository in its current state. */
export interface AgentWork {
  readonly place: RawPlace
  readonly manifest: WorkManifest
  /** Files whose content git doesn't have yet. */
  readonly changed: readonly string[]
  /** Commits that must be transferred too. */
  readonly commits: readonly string[]
  /** What is not transferred, each with its reason. */
  readonly omitted: readonly string[]
}

type Ask = (args: readonly string[], input?: GitInput) => Promise<string>

/** Only reads. Git runs without the repository's settings, because the agent could have written them. */
export async function inspectWork(workspace: string, env: Environment): Promise<AgentWork> {
  const top = repositoryRoot(resolve(workspace))
  if (top === undefined) throw new FleetError(`The workspace ${workspace} is no longer a git repository`, 70)
  const tried = (args: readonly string[], input?: GitInput) =>
    askGit(top, ['-c', 'core.safecrlf=false', ...args], env, input)
  const ask: Ask = async (args, input) => {
    const { out, problem } = await tried(args, input)
    if (problem !== undefined) throw new FleetError(`Can't read the work in ${top}: ${problem}`, 70)
    return out
  }
  const maybe = async (args: readonly string[]) => (await tried(args)).out.trim() || undefined

  const paths = ['--git-path', 'objects', '--git-path', 'shallow', '--absolute-git-dir']
  const [format = '', objects = '', shallow = '', gitDir = ''] = (
    await ask(['rev-parse', '--show-object-format', ...paths])
  ).split('\n')
  const fields = '%(objectname) %(objecttype) %(HEAD) %(refname:lstrip=2)'
  const refs = lines(await ask(['for-each-ref', `--format=${fields}`, 'refs/heads'], BYTES))
    .map((line) => /^(\S+) (\S+) ([ *]) (.*)$/.exec(line) ?? [])
    .filter(([, , type]) => type === 'commit')
  const current = refs.find(([, , , isHead]) => isHead === '*')
  // A branch without commits and a commit without a branch are not in that list.
  const head = current?.[1] ?? (await maybe(['rev-parse', '--verify', '-q', 'HEAD^{commit}']))
  const name = current?.[4] && shown(current[4])
  const branch = name ?? (await maybe(['symbolic-ref', '-q', 'HEAD']))?.replace(/^refs\/heads\//, '')
  if (branch === undefined && head === undefined)
    throw new FleetError(`Can't read the work in ${top}: HEAD is broken`, 70)
  const { notes, commits, omitted } = await notesOf(gitDir, (name) =>
    maybe(['rev-parse', '--verify', '-q', `${name}^{commit}`]),
  )
  const heads = Object.fromEntries(refs.slice(0, MAX_HEADS).map(([, oid = '', , , name = '']) => [name, oid]))
  const index = await inspectIndex(ask, head, format)
  const files = await inspectFiles(ask, top, index.flagged)
  return {
    place: { top, objects: resolve(top, objects), format, shallow: resolve(top, shallow), env },
    manifest: {
      v: 1,
      ...(branch !== undefined && { branch }),
      ...(head !== undefined && { head }),
      staged: index.staged,
      announced: index.announced.map(({ path }) => path),
      announcedModes: index.announced.filter(({ mode }) => mode !== '100644').map(({ path, mode }) => ({ path, mode })),
      assumed: index.assumed,
      skipped: index.skipped,
      gone: files.gone,
      emptyFolders: emptyFolders(
        top,
        parts(await ask(['ls-files', '-z', '-o', '--directory', '--exclude-standard'], BYTES)),
      ),
      heads,
      notes,
    },
    changed: files.changed,
    commits: [...new Set([...(head === undefined ? [] : [head]), ...commits, ...Object.values(heads)])],
    omitted: [...omitted, ...files.omitted],
  }
}

const BYTES: GitInput = { bytes: true }

async function inspectIndex(ask: Ask, head: string | undefined, format: string) {
  const base = head ?? emptyObject('tree', format)
  const visible = await stagedSince(ask, base, format, [])
  const empty = emptyObject('blob', format)
  const candidates = visible.filter(({ mode, oid }) => mode !== '0' && oid === empty)
  // This option makes git leave out files added with `git add -N`, whose empty blob was never written.
  const staged = candidates.length === 0 ? visible : await stagedSince(ask, base, format, ['--ita-invisible-in-index'])
  const stagedPaths = new Set(staged.filter(({ mode }) => mode !== '0').map(({ path }) => path))
  const announced = candidates.filter(({ path }) => !stagedPaths.has(path) && isSafePath(path))
  const marked: { readonly tag: string; readonly path: string }[] = []
  for (const line of parts(await ask(['ls-files', '-s', '-v', '-z'], BYTES))) {
    const path = line.slice(line.indexOf('\t') + 1)
    const [tag = '', mode = '', oid = '', stage] = line.slice(0, line.indexOf('\t')).split(' ')
    if (stage !== '0') staged.push({ mode, oid, stage: stage === '1' ? 1 : stage === '2' ? 2 : 3, path })
    if (/^[a-zS]/.test(tag) && isSafePath(path)) marked.push({ tag, path })
  }
  const assumed = marked.filter(({ tag }) => /^[a-z]/.test(tag)).map(({ path }) => path)
  const skipped = marked.filter(({ tag }) => /^s/i.test(tag)).map(({ path }) => path)
  return { staged, announced, assumed, skipped, flagged: [...assumed, ...skipped] }
}

/** Git's name of an object without content. */
const emptyObject = (type: 'tree' | 'blob', format: string): string =>
  createHash(format).update(`${type} 0\0`).digest('hex')

async function stagedSince(ask: Ask, base: string, format: string, more: readonly string[]): Promise<IndexEntry[]> {
  const command = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev', ...more, base]
  const raw = parts(await ask(command, BYTES))
  const zeroOid = '0'.repeat(format === 'sha1' ? 40 : 64)
  return raw.flatMap((entry, at): readonly IndexEntry[] => {
    if (at % 2 === 1) return []
    const [, mode = '', , oid = ''] = entry.split(' ')
    const path = raw[at + 1] ?? ''
    return [mode === '000000' ? { mode: '0', oid: zeroOid, stage: 0, path } : { mode, oid, stage: 0, path }]
  })
}

/** Files of the working tree that differ from the index, by kind. */
async function inspectFiles(ask: Ask, top: string, flagged: readonly string[]) {
  const raw = parts(await ask(['diff-files', '--raw', '-z', '--no-renames', '--no-abbrev'], BYTES))
  const untracked = parts(await ask(['ls-files', '-z', '-o', '--exclude-standard'], BYTES))
  const tracked = new Set(flagged)
  const omitted: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [from = ''] = (raw[at] ?? '').split(' ')
    const path = raw[at + 1] ?? ''
    if (from !== ':160000') tracked.add(path)
    else if (lstatOf(top, path)?.isDirectory()) omitted.push(`${shown(path)} (a submodule at another commit)`)
    else tracked.add(path)
  }
  const changed: string[] = []
  const gone: string[] = []
  let sum = 0
  const isStateFile = (path: string) => path === '.exitgate' || path.startsWith('.exitgate/')
  for (const path of [...new Set([...tracked, ...untracked])]
    .filter((each) => !isStateFile(each) && isSafePath(each))
    .sort()) {
    const found = path.endsWith('/') ? undefined : lstatOf(top, path)
    const exists = found?.isFile() === true || found?.isSymbolicLink() === true
    const why = path.endsWith('/') ? 'a nested repository' : exists ? whyOmitted(top, path, found.size, sum) : undefined
    if (why !== undefined) omitted.push(`${shown(path)} (${why})`)
    else if (exists) {
      changed.push(path)
      sum += found.size
    } else if (tracked.has(path)) gone.push(path)
  }
  return { changed, gone, omitted }
}

function whyOmitted(top: string, path: string, size: number, sum: number): string | undefined {
  if (size > MAX_FILE_BYTES) return `${Math.ceil(size / MEGABYTE)} MB, the limit is ${MAX_FILE_BYTES / MEGABYTE} MB`
  if (sum + size > MAX_TOTAL_BYTES) return `more than ${MAX_TOTAL_BYTES / MEGABYTE} MB in total`
  try {
    if (lstatOf(top, path)?.isFile()) accessSync(fileOf(top, path), constants.R_OK)
    return undefined
  } catch {
    return 'not readable'
  }
}

const fileOf = (top: string, path: string) => Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')])

function lstatOf(top: string, path: string) {
  try {
    return lstatSync(fileOf(top, path))
  } catch {
    return undefined
  }
}

/** A forged index may contain any path; git itself would reject such a path. */
const isSafePath = (path: string): boolean =>
  !path.split('/').some((part, at, all) => /^(?:\.{1,2}|\.git)$/i.test(part) || (part === '' && at < all.length - 1))

const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8')
const parts = (out: string): readonly string[] => out.split('\0').filter((part) => part !== '')
const lines = (out: string): readonly string[] => out.split('\n').filter((line) => line !== '')
