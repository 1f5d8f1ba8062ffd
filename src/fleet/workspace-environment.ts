import type { WorkerFile } from './worker-file.ts'
import { queueFile } from './worker-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What every program needs to run at all. */
const PLAIN = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'SHELL', 'USER', 'LOGNAME', 'TERM']

/** Git of the worker itself: how it logs in to remotes, and which certificates it trusts. */
const OF_GIT =
  /^(?:HOME|XDG_CONFIG_HOME|SSH_AUTH_SOCK|SSH_ASKPASS|GIT_ASKPASS|GIT_SSH|GIT_SSH_COMMAND|GIT_SSL_\w+|SSL_CERT_\w+|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/

const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

function chosen(env: Environment, keep: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && keep(entry[0]),
  )
  return Object.fromEntries(entries)
}

/** The whole environment of an agent: what its queue names, a home of its own, and what every program needs. */
export function agentEnvironment(
  env: Environment,
  file: WorkerFile,
  queue: string,
  home: string,
): Readonly<Record<string, string>> {
  const { secrets, settings } = queueFile(file, queue)
  const names = new Set([...PLAIN, ...CERTIFICATES, ...secrets, ...settings])
  return { ...chosen(env, (name) => names.has(name)), HOME: home }
}

export const gitEnvironment = (env: Environment): Readonly<Record<string, string>> =>
  chosen(env, (name) => PLAIN.includes(name) || OF_GIT.test(name))

/**
 * What evidence commands may inherit from this process. The secrets of the queue stay in it, because what is not known cannot be
 * taken out of output; by their names they are kept from commands that a repository's configuration does not let see them.
 */
export function processEnvironment(
  env: Environment,
  file: WorkerFile,
  queue: string,
): Readonly<Record<string, string>> {
  const { secrets, settings } = queueFile(file, queue)
  const names = new Set([...PLAIN, ...CERTIFICATES, 'HOME', ...secrets, ...settings])
  return chosen(env, (name) => names.has(name))
}

/** Puts this environment in the place of the whole one of this process: nothing it starts can inherit more. */
export function leaveOnly(kept: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(kept, name)) delete process.env[name]
}
