import { spawnSync } from 'node:child_process'
import { pathOutside, repositoryRoot } from '../../system/git.ts'
import { algorithmOf, blobId } from './content-id.ts'

/** The repository's own settings must not run, fetch or replace anything while an object is read. */
const FIXED = ['--no-pager', '--no-replace-objects', '-c', 'protocol.allow=never', '-c', 'core.fsmonitor=false']
const MOST_BYTES = 256 * 1024 * 1024

/** Contents by blob id, in one call. Leaves out objects that are gone or don't match their hash. */
export function readObjects(dir: string, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  const wanted = [...new Set(ids)].filter((id) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id))
  if (wanted.length === 0 || repositoryRoot(dir) === undefined) return found
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = {
    ...Object.fromEntries(inherited),
    PATH: pathOutside(dir, process.env.PATH ?? ''),
    ...{ GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
  }
  const done = spawnSync('git', [...FIXED, 'cat-file', '--batch'], {
    cwd: dir,
    env,
    input: `${wanted.join('\n')}\n`,
    maxBuffer: MOST_BYTES,
    timeout: 60_000,
  })
  const out: Buffer = done.stdout ?? Buffer.alloc(0)
  for (let at = 0; at < out.length; ) {
    const line = out.indexOf(10, at)
    if (line < 0) break
    const [id, type, size] = out.toString('latin1', at, line).split(' ')
    at = line + 1
    if (type !== 'blob' && size === undefined) continue
    const bytes = out.subarray(at, at + Number(size))
    at += Number(size) + 1
    if (type === 'blob' && id !== undefined && blobId(bytes, algorithmOf(id)) === id) found.set(id, bytes)
  }
  return found
}
