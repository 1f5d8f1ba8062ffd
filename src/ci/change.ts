import { readFileSync, statSync } from 'node:fs'
import { openWorkspace } from '../evidence/workspace.ts'

/** What the environment of a CI job tells about the change it is there for. */
export interface Change {
  /** The branch it wants to go to, by its name. */
  readonly into?: string
  /** The commit of that branch, as the host saw it. */
  readonly base?: string
  readonly number?: number
  /** The author says that it is not ready: that is no claim. */
  readonly draft: boolean
}

type Environment = Readonly<Record<string, string | undefined>>
type Fields = Readonly<Record<string, unknown>>

/** No event of a host is near this size. */
const MOST_BYTES = 32 * 1024 * 1024

/** Reads GITHUB_EVENT_PATH and GITHUB_BASE_REF. Gives back a sentence when the event cannot be read. */
export function changeOf(env: Environment): Change | string {
  const path = env.GITHUB_EVENT_PATH
  const event = path ? eventIn(path) : {}
  if (typeof event === 'string') return event
  const pull = fieldsIn(event.pull_request)
  const group = fieldsIn(event.merge_group)
  const target = fieldsIn(pull.base)
  const into =
    textIn(target.ref) ?? textIn(group.base_ref)?.replace(/^refs\/heads\//, '') ?? textIn(env.GITHUB_BASE_REF)
  const base = commitIn(target.sha) ?? commitIn(group.base_sha)
  return {
    ...(into === undefined ? {} : { into }),
    ...(base === undefined ? {} : { base }),
    ...(typeof pull.number === 'number' ? { number: pull.number } : {}),
    draft: pull.draft === true,
  }
}

function eventIn(path: string): Fields | string {
  try {
    if (statSync(path).size > MOST_BYTES)
      return `GITHUB_EVENT_PATH ${path} is larger than ${MOST_BYTES} bytes; check it`
    const event: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) return { ...event }
    return `GITHUB_EVENT_PATH ${path} does not hold an object; unset it and give --base REV`
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `GITHUB_EVENT_PATH ${path} cannot be read: ${why}; unset it and give --base REV`
  }
}

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const commitIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? value : undefined

/** Where the change left its target branch; or in a sentence why nobody can tell. */
type MergeBase = { readonly commit: string } | { readonly problem: string }

type Git = (args: readonly string[]) => Promise<string | undefined>

/** The commit to compare with: what was so before the change, whatever else went into the target branch since. */
export async function mergeBase(dir: string, change: Change, base: string | undefined): Promise<MergeBase> {
  const { git } = openWorkspace(dir)
  if ((await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) === undefined)
    return { problem: `check --ci compares with a branch, but ${dir} is not a git repository with a commit` }
  const target = base === undefined ? await targetOf(git, change) : await commitOf(git, base)
  if (target === undefined) return { problem: notHere(change, base) }
  const commit = (await git(['merge-base', 'HEAD', target]))?.trim().split('\n')[0]
  if (commit) return { commit }
  const shallow = (await git(['rev-parse', '--is-shallow-repository']))?.trim() === 'true'
  const name = base ?? change.into ?? target
  return {
    problem: shallow
      ? `this clone is shallow and does not reach back to where the change left ${name}; check out with fetch-depth: 0`
      : `HEAD and ${name} have no commit in common; name the right branch with --base REV`,
  }
}

/**
 * The target branch as the clone has it. It is asked for by its whole name, because a tag of the change's author may have the short
 * one; a branch of that name in the clone itself comes last, it may be anything.
 */
async function targetOf(git: Git, { into, base }: Change): Promise<string | undefined> {
  const places =
    into === undefined
      ? [base, 'refs/remotes/origin/HEAD']
      : [`refs/remotes/origin/${into}`, base, `refs/heads/${into}`]
  for (const place of places) {
    const commit = place === undefined ? undefined : await commitOf(git, place)
    if (commit !== undefined) return commit
  }
  return undefined
}

/** Whatever begins with a dash would be an option of git's. */
async function commitOf(git: Git, revision: string): Promise<string | undefined> {
  if (revision.startsWith('-')) return undefined
  return (await git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]))?.trim() || undefined
}

function notHere({ into, base: seen }: Change, base: string | undefined): string {
  if (base !== undefined)
    return `--base ${base} is not a commit of this clone; fetch it, or check out with fetch-depth: 0`
  if (into === undefined && seen === undefined)
    return 'check --ci does not know what to compare with: give --base REV (GITHUB_BASE_REF and GITHUB_EVENT_PATH name no pull request)'
  const name = into ?? seen
  return `the target branch ${name} is not in this clone; check out with fetch-depth: 0, or run git fetch origin ${name} before`
}
