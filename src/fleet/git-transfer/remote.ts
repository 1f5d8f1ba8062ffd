import { isAbsolute } from 'node:path'
import { redact } from '../../system/redact.ts'
import { FleetError } from '../errors.ts'

/** Protocols git may use for a remote. All others can run commands or are not encrypted. */
export const PROTOCOLS = 'file:https:ssh'

/** The address without secrets. */
export const shownRemote = (remote: string): string => redact(remote, [])

/** Rejects addresses that would run a command, contain a password, or differ from machine to machine. */
export function checkRemote(remote: string): void {
  const why = problemWith(remote)
  if (why !== undefined) throw new FleetError(`the repository ${JSON.stringify(shownRemote(remote))} ${why}`)
}

function problemWith(remote: string): string | undefined {
  if (/[\0-\x1f\x7f]/.test(remote)) return 'has control characters in its address. Remove them.'
  if (remote.startsWith('-')) return 'starts with "-", so git would read it as an option. Use its URL.'
  if (/^[\w+.-]+::/.test(remote))
    return 'uses a remote helper, which would run commands. Use https://, ssh:// or file://.'
  const scheme = /^([a-z][\w+.-]*):\/\//i.exec(remote)?.[1]?.toLowerCase()
  if (scheme === undefined) return isAbsolute(remote) ? undefined : problemWithSsh(remote)
  if (!PROTOCOLS.split(':').includes(scheme)) return `uses ${scheme}://. Use https://, ssh:// or file://.`
  const login = /^[^:]+:\/\/([^/]*)@/.exec(remote)?.[1]
  if (scheme === 'https' && login !== undefined)
    return 'has a login in its address. Remove it, and set up a git credential helper on the workers.'
  if (login?.includes(':')) return 'has a password in its address. Remove it, and give the workers an SSH key.'
  return /^[^:]+:\/\/(?:[^/]*@)?-/.test(remote)
    ? 'has a host name that ssh would read as an option. Correct the address.'
    : undefined
}

/** `git@host:path` */
function problemWithSsh(remote: string): string | undefined {
  const [, login = '', host] = /^(?:([^@/:]*(?::[^@/]*)?)@)?([^@:/]+):/.exec(remote) ?? []
  if (host === undefined) return 'is not an address every worker can reach. Use its URL or an absolute path.'
  if (host.startsWith('-') || login.startsWith('-'))
    return 'has a part that ssh would read as an option. Correct the address.'
  return login.includes(':') ? 'has a password in its address. Remove it, and give the workers an SSH key.' : undefined
}

const REVISION = /^(?!-)(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[^\s~^:?*[\\\0-\x1f\x7f]+$/

/** Accepts names of branches, tags and commits, and nothing git could read as something else. */
export function checkRevision(what: string, name: string): void {
  if (!REVISION.test(name) || /^[./]|[./]$/.test(name))
    throw new FleetError(`${what} ${JSON.stringify(name)} is not a valid name of a branch, tag or commit`)
}

/** Makes a name valid as one part of a git ref. */
export function refPart(name: string): string {
  const plain = name
    .replace(/[^\w.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|(?:\.lock|\.)+$/g, '')
  return plain === '' ? 'run' : plain
}
