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
 * Puts everything the agent left into the remote, as one commit under a ref of this run and epoch: its branches with their commits,
 * the index as it is, and every file that is not ignored, byte for byte. The agent's repository is only read.
 */
export async function publishWork(workspace: string, options: PublishOptions): Promise<Work> {
  const { remote, run, epoch, warn, env = process.env } = options
  checkRemote(remote)
  const { place, manifest, changed, commits, left } = await inspectWork(workspace, env)
  return inRawRepository(place, async (raw) => {
    await fillIndex(
      (args, input) => raw.git('keep the index', args, { input: (input ?? []).map(zero).join('') }),
      manifest,
    )
    await raw.git('keep the files', ['read-tree', '--empty'])
    const files = await filesTree(raw, changed)
    const objects = await objectsTree(raw, manifest.staged)
    const text = await raw.git('keep the work', ['hash-object', '-w', '--stdin'], {
      input: Buffer.from(JSON.stringify(manifest)),
    })
    const listing = `040000 tree ${files}\tfiles\n040000 tree ${objects}\tobjects\n100644 blob ${text.trim()}\twork.json\n`
    const tree = (await raw.git('keep the work', ['mktree'], { input: listing })).trim()
    const parents = commits.flatMap((oid) => ['-p', oid])
    const message = `exitgate: what run ${run} left\n`
    const commit = (await raw.git('keep the work', ['commit-tree', tree, ...parents], { input: message })).trim()
    const ref = `refs/exitgate/${refPart(run)}/${epoch}/${commit}`
    await raw.git('publish the work', ['push', '-q', '--no-verify', '--', remote, `${commit}:${ref}`])
    if (left.length > 0) warn?.(leftBehind(left))
    const { branch, head } = manifest
    return { ...(branch !== undefined && { branch }), ...(head !== undefined && { head }), tree, ref }
  })
}

const zero = (word: string): string => `${word}\0`

/** Modes and links as they are; bytes too, since this repository knows no attributes. */
async function filesTree(raw: RawRepository, changed: readonly string[]): Promise<string> {
  const input = changed.map(zero).join('')
  if (changed.length > 0)
    await raw.git('keep the files', ['update-index', '--add', '--replace', '-z', '--stdin'], { input })
  return (await raw.git('keep the files', ['write-tree'])).trim()
}

/** What the index names and no commit holds would not come along by itself. */
async function objectsTree(raw: RawRepository, staged: readonly IndexEntry[]): Promise<string> {
  const blobs = new Set(staged.filter(({ mode }) => mode !== '0' && mode !== '160000').map(({ oid }) => oid))
  const input = [...blobs].sort().map((oid) => `100644 blob ${oid}\t${oid}\n`)
  return (await raw.git('keep the index', ['mktree'], { input: input.join('') })).trim()
}

function leftBehind(left: readonly string[]): string {
  const more = left.length > 3 ? ` and ${left.length - 3} more` : ''
  return `Left behind when the work was published: ${left.slice(0, 3).join(', ')}${more}.`
}
