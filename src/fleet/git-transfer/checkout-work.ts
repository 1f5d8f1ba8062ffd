import { copyFileSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FleetError } from '../errors.ts'
import { fillIndex } from './fill-index.ts'
import { NOTES } from './git-notes.ts'
import { type OwnGitCall, ownGit, tryOwnGit } from './own-git.ts'
import { inRawRepository } from './raw-repository.ts'
import type { Restored, RestoreOptions, Work, WorkManifest } from './types.ts'

/** The published commit, while it is checked out. */
const REF = 'refs/exitgate/work'

type Ask = (
  args: readonly string[],
  input?: readonly string[] | string,
  own?: Record<string, string>,
) => Promise<string>

/** Restores published work in a fresh clone. */
export async function checkOutWork(dir: string, work: Work, { remote, env }: RestoreOptions): Promise<Restored> {
  const call: OwnGitCall = { cwd: dir, ...(env && { env }) }
  const ask: Ask = (args, input, own) => {
    const text = typeof input === 'string' || input === undefined ? input : input.map((each) => `${each}\0`).join('')
    const given = { ...(text !== undefined && { input: text }), ...(own && { own }) }
    return ownGit('restore the work', args, { ...call, ...given, bytes: true })
  }
  const commit = work.ref.slice(work.ref.lastIndexOf('/') + 1)
  await ownGit(
    'fetch the work',
    ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--', remote, `+${work.ref}:${REF}`],
    call,
  )
  const fetched = (await ask(['rev-parse', '--verify', '-q', REF])).trim()
  if (fetched !== commit) throw new FleetError(`${work.ref} in the remote has changed since the work was published`, 70)
  const manifest = manifestOf(await ask(['cat-file', 'blob', `${commit}:work.json`]))
  if (manifest.v !== 1) throw new FleetError(`${work.ref} was published by a newer exitgate; update this worker`, 70)

  await placeHeads(ask, manifest)
  await fillIndex(ask, manifest)
  await checkOut(ask, dir, manifest)
  await overlay(ask, dir, commit, env)
  for (const path of manifest.emptyFolders) makeFolder(dir, path)
  await finishIndex(ask, call, manifest)
  for (const [name, text] of Object.entries(manifest.notes)) {
    if (!NOTES.has(name)) throw new FleetError(`${work.ref} contains .git/${name}, which is never transferred`, 70)
    mkdirSync(join(dir, '.git', 'info'), { recursive: true })
    writeFileSync(join(dir, '.git', name), text, 'latin1')
  }
  await ask(['update-ref', '-d', REF])
  const { head, branch } = manifest
  return { ...(head !== undefined && { head }), ...(branch !== undefined && { branch }) }
}

const manifestOf = (bytes: string) => JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8')) as WorkManifest

async function placeHeads(ask: Ask, { heads, branch, head }: WorkManifest): Promise<void> {
  // The clone's own first branch is not part of the work.
  if (branch === undefined) await ask(['update-ref', '--no-deref', 'HEAD', head ?? ''])
  else await ask(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
  const had = (await ask(['for-each-ref', '--format=%(refname)', 'refs/heads'])).split('\n').filter(Boolean)
  const missing = had.filter((ref) => heads[ref.slice('refs/heads/'.length)] === undefined)
  // Deletes first, because a branch may have become a folder of branches.
  await ask(
    ['update-ref', '-z', '--stdin'],
    missing.map((ref) => `delete ${ref}\0`),
  )
  const now = Object.entries(heads).map(([name, oid]) => `update refs/heads/${name}\0${oid}\0`)
  await ask(['update-ref', '-z', '--stdin'], now)
}

/** Files that match the index, written with this machine's git settings. */
async function checkOut(ask: Ask, dir: string, { gone, skipped }: WorkManifest): Promise<void> {
  const index = join(dir, '.git', 'exitgate-index')
  try {
    const tree = { GIT_INDEX_FILE: index }
    copyFileSync(join(dir, '.git', 'index'), index)
    const missing = [...gone, ...skipped]
    if (missing.length > 0) await ask(['update-index', '--force-remove', '-z', '--stdin'], missing, tree)
    await ask(['checkout-index', '-a', '-f', '-q'], undefined, tree)
  } finally {
    rmSync(index, { force: true })
  }
}

/** Changed and untracked files, byte for byte. */
async function overlay(ask: Ask, dir: string, commit: string, env: OwnGitCall['env']): Promise<void> {
  const format = (await ask(['rev-parse', '--show-object-format'])).trim()
  await inRawRepository(
    { top: dir, objects: join(dir, '.git', 'objects'), format, ...(env && { env }) },
    async (raw) => {
      await raw.git('check out the files', ['read-tree', `${commit}:files`])
      await raw.git('check out the files', ['checkout-index', '-a', '-f', '-q'])
    },
  )
}

async function finishIndex(ask: Ask, call: OwnGitCall, manifest: WorkManifest): Promise<void> {
  const { announced, assumed, skipped } = manifest
  if (announced.length > 0) await announce(ask, call.cwd, manifest)
  // Exits with 1 if something differs, which is expected.
  await tryOwnGit(['update-index', '-q', '--refresh'], call)
  if (assumed.length > 0) await ask(['update-index', '--assume-unchanged', '-z', '--stdin'], assumed)
  if (skipped.length > 0) await ask(['update-index', '--skip-worktree', '-z', '--stdin'], skipped)
}

/** `git add -N` needs an existing file. */
async function announce(ask: Ask, dir: string, { announced, announcedModes = [] }: WorkManifest): Promise<void> {
  const missing = announced.filter((path) => lstatSync(placeOf(dir, path), { throwIfNoEntry: false }) === undefined)
  const modes = new Map(announcedModes.map(({ path, mode }) => [path, mode]))
  const made = missing.flatMap((path) => makeFile(dir, path, modes.get(path)))
  await ask(['add', '-N', '-f', '--pathspec-from-file=-', '--pathspec-file-nul'], announced)
  for (const place of made.toReversed()) rmSync(place, { recursive: true })
}

/** An empty file of the kind that the index says, and the folders created for it. */
function makeFile(dir: string, path: string, mode = '100644'): readonly Buffer[] {
  const folders = path.split('/').map((_, at, all) => placeOf(dir, all.slice(0, at + 1).join('/')))
  const made = folders.filter((place) => lstatSync(place, { throwIfNoEntry: false }) === undefined)
  if (path.includes('/')) makeFolder(dir, path.slice(0, path.lastIndexOf('/')))
  if (mode === '120000') symlinkSync('.', placeOf(dir, path))
  else writeFileSync(placeOf(dir, path), '', { flag: 'wx', mode: mode === '100755' ? 0o755 : 0o644 })
  return made
}

const placeOf = (dir: string, path: string) => Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(path, 'latin1')])

/** Creates folders only below real folders of the clone, never through links. */
function makeFolder(dir: string, path: string): void {
  let place = Buffer.from(dir)
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..' || /^\.git$/i.test(part))
      throw new FleetError(`The folder ${JSON.stringify(path)} is outside the workspace`, 70)
    place = Buffer.concat([place, Buffer.from('/'), Buffer.from(part, 'latin1')])
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found === undefined) mkdirSync(place)
    else if (!found.isDirectory()) return
  }
}
