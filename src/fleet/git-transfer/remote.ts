import { isAbsolute } from 'node:path'
import { redact } from '../../system/redact.ts'
import { FleetError } from '../errors.ts'

/** What git may speak to a remote; everything else can run commands, or anybody can listen to it. */
export const PROTOCOLS = 'file:https:ssh'

/** The address as it may be shown. */
export const shownRemote = (remote: string): string => redact(remote, [])

/** Refuses addresses that would run a command, carry a password, or mean another place on every machine. */
export function checkRemote(remote: string): void {
  const why = objection(remote)
  if (why !== undefined) throw new FleetError(`the repository ${JSON.stringify(shownRemote(remote))} ${why}`)
}

function objection(remote: string): string | undefined {
  if (/[\0-\x1f\x7f]/.test(remote)) return 'has control characters in its address; write it anew'
  if (remote.startsWith('-')) return 'would be an option to git; name it by its URL'
  if (/^[\w+.-]+::/.test(remote))
    return 'names a helper program, which would run commands; use https://, ssh:// or file://'
  const scheme = /^([a-z][\w+.-]*):\/\//i.exec(remote)?.[1]?.toLowerCase()
  if (scheme === undefined) return isAbsolute(remote) ? undefined : sshObjection(remote)
  if (!PROTOCOLS.split(':').includes(scheme)) return `is reached by ${scheme}://; use https://, ssh:// or file://`
  const login = /^[^:]+:\/\/([^/]*)@/.exec(remote)?.[1]
  if (scheme === 'https' && login !== undefined)
    return 'carries a login in its address; take it out and give it to a credential helper of git on the workers'
  if (login?.includes(':')) return 'carries a password in its address; take it out and give the workers a key'
  return /^[^:]+:\/\/(?:[^/]*@)?-/.test(remote) ? 'has a host that would be an option to ssh; write it anew' : undefined
}

/** `git@host:path` */
function sshObjection(remote: string): string | undefined {
  const [, login = '', host] = /^(?:([^@/:]*(?::[^@/]*)?)@)?([^@:/]+):/.exec(remote) ?? []
  if (host === undefined) return 'is no address that every worker knows; name it by its URL or an absolute path'
  if (host.startsWith('-') || login.startsWith('-')) return 'would be an option to ssh; write it anew'
  return login.includes(':') ? 'carries a password in its address; take it out and give the workers a key' : undefined
}

const REVISION = /^(?!-)(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[^\s~^:?*[\\\0-\x1f\x7f]+$/

/** The name of a branch, a tag or a commit, and nothing that git could take for anything else. */
export function checkRevision(what: string, name: string): void {
  if (!REVISION.test(name) || /^[./]|[./]$/.test(name))
    throw new FleetError(`${what} ${JSON.stringify(name)} is no name of a branch, a tag or a commit; write it anew`)
}

/** What git takes for one part of a name. */
export function refPart(name: string): string {
  const plain = name
    .replace(/[^\w.-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|(?:\.lock|\.)+$/g, '')
  return plain === '' ? 'run' : plain
}
