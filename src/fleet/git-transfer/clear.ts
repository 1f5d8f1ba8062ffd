import { tmpdir } from 'node:os'
import { inRawRepository } from './raw-repository.ts'
import { checkRemote, refPart, shownRemote } from './remote.ts'
import type { Journey } from './types.ts'

export interface ClearOptions extends Journey {
  readonly run: string
  /** Refs that stay: the work as the database knows it. */
  readonly keep?: readonly string[]
}

/** Takes a run's published work out of the remote, after its end or as far as newer work stands for it. Gives the number of refs. */
export async function clearWork({ remote, run, keep = [], env }: ClearOptions): Promise<number> {
  checkRemote(remote)
  const under = `refs/exitgate/${refPart(run)}/`
  const place = { top: tmpdir(), ...(env && { env }) }
  const listed = await inRawRepository({ ...place, format: 'sha1' }, (raw) =>
    raw.git(`ask ${shownRemote(remote)}`, ['ls-remote', '--', remote, `${under}*`]),
  )
  const lines = listed.split('\n').map((line) => line.split('\t'))
  const refs = lines.map(([, ref = '']) => ref).filter((ref) => ref.startsWith(under) && !keep.includes(ref))
  if (refs.length === 0) return 0
  // Git deletes from within a repository of the same kind; what lies in it does not matter.
  const format = lines[0]?.[0]?.length === 64 ? 'sha256' : 'sha1'
  const gone = refs.map((ref) => `:${ref}`)
  await inRawRepository({ ...place, format }, (raw) =>
    raw.git('clear the refs of the run', ['push', '-q', '--no-verify', '--', remote, ...gone]),
  )
  return refs.length
}
