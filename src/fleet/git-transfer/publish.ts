import { fillIndex } from './fill-index.ts'
import { inspectWork } from './inspect-work.ts'
import { inRawRepository, type RawRepository } from './raw-repository.ts'
import { checkRemote, refPart } from './remote.ts'
import type { IndexEntry, TransferOptions, Work } from './types.ts'

export interface PublishOptions extends TransferOptions {
  readonly run: string
  readonly epoch: number
}

/**
 * Pushes everything the agent left as one commit under a ref of this run and epoch. The commit has its branches with their commits, the index, and
 * every file that is not ignored, byte for byte. The agent's repository is only read.
 */
export async function publishWork(workspace: string, options: PublishOptions): Promise<Work> {
  const { remote, run, epoch, warn, env = process.env } = options
  checkRemote(remote)
  const { place, manifest, changed, commits, omitted } = await inspectWork(workspace, env)
  return inRawRepository(place, async (raw) => {
    if (manifest.staged.length > 0) {
      await fillIndex(
        (args, input) => raw.git('store the index', args, { input: (input ?? []).map(zero).join('') }),
        manifest,
      )
      await raw.git('store the files', ['read-tree', '--empty'])
    }
    const files = await filesTree(raw, changed)
    const objects = await objectsTree(raw, manifest.staged)
    const text = await raw.git('store the work', ['hash-object', '-w', '--stdin'], {
      input: Buffer.from(JSON.stringify(manifest)),
    })
    const listing = `040000 tree ${files}\tfiles\n${objects}100644 blob ${text.trim()}\twork.json\n`
    const tree = (await raw.git('store the work', ['mktree'], { input: listing })).trim()
    const parents = commits.flatMap((oid) => ['-p', oid])
    const message = `exitgate: work of run ${run}\n`
    const commit = (await raw.git('store the work', ['commit-tree', tree, ...parents], { input: message })).trim()
    const ref = `refs/exitgate/${refPart(run)}/${epoch}/${commit}`
    await raw.git('publish the work', ['push', '-q', '--no-verify', '--', remote, `${commit}:${ref}`])
    if (omitted.length > 0) warn?.(omittedWarning(omitted))
    const { branch, head } = manifest
    return { ...(branch !== undefined && { branch }), ...(head !== undefined && { head }), tree, ref }
  })
}

const zero = (word: string): string => `${word}\0`

/** Modes and links are kept, and bytes too, because this repository has no attributes. */
async function filesTree(raw: RawRepository, changed: readonly string[]): Promise<string> {
  const input = changed.map(zero).join('')
  if (changed.length > 0)
    await raw.git('store the files', ['update-index', '--add', '--replace', '-z', '--stdin'], { input })
  return (await raw.git('store the files', ['write-tree'])).trim()
}

/** Staged content that no commit contains would not be pushed otherwise. A line for the tree; empty if nothing is staged. */
async function objectsTree(raw: RawRepository, staged: readonly IndexEntry[]): Promise<string> {
  const blobs = new Set(staged.filter(({ mode }) => mode !== '0' && mode !== '160000').map(({ oid }) => oid))
  if (blobs.size === 0) return ''
  const input = [...blobs].sort().map((oid) => `100644 blob ${oid}\t${oid}\n`)
  return `040000 tree ${(await raw.git('store the index', ['mktree'], { input: input.join('') })).trim()}\tobjects\n`
}

function omittedWarning(omitted: readonly string[]): string {
  const more = omitted.length > 3 ? ` and ${omitted.length - 3} more` : ''
  return `Not published: ${omitted.slice(0, 3).join(', ')}${more}.`
}
