import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { FleetError } from '../errors.ts'
import { checkOutWork } from './checkout-work.ts'
import { withMirror } from './mirror.ts'
import { type OwnGitCall, ownGit, tryOwnGit } from './own-git.ts'
import { checkRemote, checkRevision, shownRemote } from './remote.ts'
import type { Restored, RestoreOptions } from './types.ts'

/**
 * A clone whose HEAD, branches, index, working tree and untracked files are as they were published, or as the base has them.
 * Objects are copied from the cache, never shared with it, so an agent can damage only its own clone.
 */
export async function restoreWork(dir: string, options: RestoreOptions): Promise<Restored> {
  const { remote, from, cache, env } = options
  const folder = resolve(dir)
  checkRemote(remote)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new FleetError(`${folder} is not empty. A clone needs an empty folder.`, 70)
  mkdirSync(dirname(folder), { recursive: true })
  const call: OwnGitCall = { cwd: folder, ...(env && { env }) }
  try {
    await cloneFrom(cache, folder, call, options)
    await ownGit('prepare the clone', ['remote', 'set-url', 'origin', remote], call)
    return 'ref' in from ? await checkOutWork(folder, from, options) : await checkOutBase(from, remote, call)
  } catch (error) {
    // An incomplete clone would look like a complete one.
    removeFolderSync(folder)
    throw error
  }
}

type From = RestoreOptions['from']

/** From the cache, or from the remote itself while another worker rebuilds the cache. */
async function cloneFrom(
  cache: string | undefined,
  folder: string,
  call: OwnGitCall,
  { remote, from }: RestoreOptions,
): Promise<void> {
  if (cache === undefined) return clone(remote, folder, call, from)
  const isCloned = await withMirror(resolve(cache), remote, call.env, async (mirror) => {
    try {
      await clone(mirror, folder, call, from)
      return true
    } catch {
      removeFolderSync(folder)
      return false
    }
  })
  if (!isCloned) await clone(remote, folder, call, from)
}

async function clone(source: string, folder: string, call: OwnGitCall, from: From): Promise<void> {
  const place = { ...call, cwd: dirname(folder) }
  const author = await authorSettings(place)
  const flags = ['-q', '--no-checkout', '--no-hardlinks', '--template=', ...author]
  // A remote without branches doesn't reveal its object format; published work does.
  const isSha256 = 'ref' in from && /\/[0-9a-f]{64}$/.test(from.ref)
  const own = { GIT_DEFAULT_HASH: isSha256 ? 'sha256' : 'sha1' }
  const command = ['clone', ...flags, '--', source, basename(folder)]
  await ownGit(`clone ${shownRemote(source)}`, command, { ...place, own })
}

/** The agent has a home folder of its own, where git would find no author name. */
async function authorSettings(call: OwnGitCall): Promise<readonly string[]> {
  const answer = await tryOwnGit(['config', '-z', '--get-regexp', '^user\\.(name|email)$'], call)
  const known = new Map(answer.out.split('\0').map((entry) => [entry.split('\n')[0], entry.split('\n')[1]]))
  const name = known.get('user.name') || 'exitgate'
  const email = known.get('user.email') || 'exitgate@localhost'
  return ['-c', `user.name=${name}`, '-c', `user.email=${email}`]
}

async function checkOutBase(
  { base, branch }: { readonly base?: string; readonly branch: string },
  remote: string,
  call: OwnGitCall,
): Promise<Restored> {
  checkRevision('the branch', branch)
  const head = await baseCommit(base, remote, call)
  if (head === undefined) {
    await ownGit('create the branch', ['symbolic-ref', 'HEAD', `refs/heads/${branch}`], call)
    return { branch }
  }
  await ownGit('check out the base', ['checkout', '-q', '-f', '--no-track', '-B', branch, head, '--'], call)
  return { branch, head }
}

/** Undefined if the remote has no commits yet. */
async function baseCommit(base: string | undefined, remote: string, call: OwnGitCall): Promise<string | undefined> {
  const commit = async (name: string) => {
    const { out, problem } = await tryOwnGit(
      ['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`],
      call,
    )
    return problem === undefined ? out.trim() : undefined
  }
  if (base !== undefined) {
    checkRevision('the base', base)
    const known = (await commit(`refs/remotes/origin/${base}`)) ?? (await commit(`refs/tags/${base}`))
    if (known !== undefined) return known
    if (!/^[0-9a-f]{7,64}$/.test(base)) throw new FleetError(`${shownRemote(remote)} has no branch or tag ${base}`)
    if ((await commit(base)) === undefined)
      await tryOwnGit(['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--', remote, base], call)
    const found = await commit(base)
    if (found === undefined) throw new FleetError(`${shownRemote(remote)} has no commit ${base}`)
    return found
  }
  const answer = await ownGit(`ask ${shownRemote(remote)}`, ['ls-remote', '--symref', '--', remote, 'HEAD'], call)
  const oid = /^([0-9a-f]{40,64})\tHEAD$/m.exec(answer)?.[1]
  if (oid === undefined && (await ownGit('read the branches', ['for-each-ref', 'refs/remotes'], call)) !== '')
    throw new FleetError(`${shownRemote(remote)} has no default branch. Set \`base\` in the task.`)
  return oid
}
