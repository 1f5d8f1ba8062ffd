import { readFileSync, statSync } from 'node:fs'
import { missingBase } from '../evidence/baseline/revision.ts'
import { openWorkspace } from '../evidence/workspace.ts'

/** What the environment of a CI job says about the change it checks. */
export interface Change {
  /** The name of the target branch. */
  readonly into?: string
  /** The commit of the target branch in the event. */
  readonly base?: string
  readonly number?: number
  /** A draft is not ready, so it is not a claim. */
  readonly draft: boolean
}

type Environment = Readonly<Record<string, string | undefined>>
type Fields = Readonly<Record<string, unknown>>

/** No real event file comes near this size. */
const MAX_BYTES = 32 * 1024 * 1024

/** Reads GITHUB_EVENT_PATH and GITHUB_BASE_REF. Returns an error message if the event can't be read. */
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
    if (statSync(path).size > MAX_BYTES)
      return `GITHUB_EVENT_PATH ${path} is larger than ${MAX_BYTES} bytes. Check that it is the event file.`
    const event: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) return { ...event }
    return `GITHUB_EVENT_PATH ${path} is not a JSON object. Unset it and pass --base REV.`
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return `GITHUB_EVENT_PATH ${path} can't be read: ${why}. Unset it and pass --base REV.`
  }
}

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const commitIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(value) ? value : undefined

/** The merge base with the target branch, or why it is unknown. */
type MergeBase = { readonly commit: string } | { readonly problem: string }

type Git = (args: readonly string[]) => Promise<string | undefined>

/** The commit to compare with: the state before the change, without newer commits of the target branch. */
export async function mergeBase(dir: string, change: Change, base: string | undefined): Promise<MergeBase> {
  const { git } = openWorkspace(dir)
  if ((await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])) === undefined)
    return { problem: `check --ci needs a git repository with at least one commit, and ${dir} is not one` }
  const target = base === undefined ? await targetOf(git, change) : await commitOf(git, base)
  if (target === undefined) return { problem: await missingTarget(dir, change, base) }
  const commit = (await git(['merge-base', 'HEAD', target]))?.trim().split('\n')[0]
  if (commit) return { commit }
  const shallow = (await git(['rev-parse', '--is-shallow-repository']))?.trim() === 'true'
  const name = base ?? change.into ?? target
  return {
    problem: shallow
      ? `This shallow clone does not contain the merge base with ${name}. Check out with fetch-depth: 0.`
      : `HEAD and ${name} have no common commit. Pass the right branch with --base REV.`,
  }
}

/**
 * The target branch in the clone, by its full name, because the author of the change could create a tag with the short name. A
 * local branch of that name comes last, because it could be anything.
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

/** Git would read a leading dash as an option. */
async function commitOf(git: Git, revision: string): Promise<string | undefined> {
  if (revision.startsWith('-')) return undefined
  return (await git(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]))?.trim() || undefined
}

async function missingTarget(dir: string, { into, base: seen }: Change, base?: string): Promise<string> {
  if (base !== undefined) return missingBase(openWorkspace(dir), base)
  if (into === undefined && seen === undefined)
    return "check --ci doesn't know what to compare with. Pass --base REV (GITHUB_BASE_REF and GITHUB_EVENT_PATH name no pull request)."
  const name = into ?? seen
  return `The target branch ${name} is not in this clone. Check out with fetch-depth: 0, or run git fetch origin ${name} first.`
}
