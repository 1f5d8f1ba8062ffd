import { printObjects } from '../../system/git.ts'
import { algorithmOf, blobId } from './content-id.ts'

/** Contents by blob id, in one call. Leaves out objects that are gone or don't match their hash. */
export function readObjects(dir: string, ids: readonly string[]): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  const wanted = [...new Set(ids)].filter((id) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id))
  const out = wanted.length === 0 ? Buffer.alloc(0) : printObjects(dir, wanted)
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
