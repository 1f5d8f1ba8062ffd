import { readFileSync, statSync } from 'node:fs'

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
