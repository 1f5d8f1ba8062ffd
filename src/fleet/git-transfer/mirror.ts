import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { FleetError } from '../errors.ts'
import { type OwnGitAnswer, type OwnGitCall, tryOwnGit } from './own-git.ts'
import { shownRemote } from './remote.ts'

const REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']
const MOST_PACKS = 50
const TRIES = 5

/** One fetch at a time per mirror, because git locks its refs. */
const busy = new Map<string, Promise<unknown>>()

/** Runs `work` on an up-to-date copy of the remote's branches and tags, without other runs' work. */
export function withMirror<T>(
  cache: string,
  remote: string,
  env: OwnGitCall['env'],
  work: (mirror: string) => Promise<T>,
): Promise<T> {
  const mirror = join(cache, `${createHash('sha256').update(remote).digest('hex').slice(0, 24)}.git`)
  const mine = (busy.get(mirror) ?? Promise.resolve())
    .catch(() => {})
    .then(async () => {
      await refresh(cache, mirror, remote, env)
      return work(mirror)
    })
  busy.set(mirror, mine)
  return mine
}

async function refresh(cache: string, mirror: string, remote: string, env: OwnGitCall['env']): Promise<void> {
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const call = { cwd: cache, ...(env && { env }) }
  if (existsSync(mirror) && (await fetched(mirror, remote, call)).problem === undefined) return
  // Whatever is wrong with the mirror, a new one works or fails with the reason.
  const draft = mkdtempSync(join(cache, 'draft-'))
  try {
    const { problem } = await tryOwnGit(['clone', '-q', '--bare', '--template=', '--', remote, draft], call)
    if (problem !== undefined) throw new FleetError(`cannot fetch ${shownRemote(remote)}: ${problem}`, 70)
    removeFolderSync(mirror)
    if (!moved(draft, mirror)) throw new FleetError(`Can't write to the cache ${cache}`, 70)
  } finally {
    removeFolderSync(draft)
  }
}

/** If another worker of this machine was faster, the mirror exists all the same. */
function moved(draft: string, mirror: string): boolean {
  try {
    renameSync(draft, mirror)
    return true
  } catch {
    return existsSync(mirror)
  }
}

async function fetched(mirror: string, remote: string, call: OwnGitCall): Promise<OwnGitAnswer> {
  const own = { ...call, own: { GIT_DIR: mirror } }
  for (let tries = 1; ; tries++) {
    const answer = await tryOwnGit(['fetch', '-q', '--prune', '--no-tags', '--', remote, ...REFS], own)
    // Another worker of this machine may be using it.
    if (answer.problem !== undefined && /cannot lock ref|unable to create/i.test(answer.problem) && tries < TRIES)
      continue
    if (answer.problem !== undefined || packs(mirror) <= MOST_PACKS) return answer
    return tryOwnGit(['repack', '-q', '-a', '-d'], own)
  }
}

const packs = (mirror: string): number =>
  readdirSync(join(mirror, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length
