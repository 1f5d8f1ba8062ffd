import type { WorkerFile } from './worker-file.ts'
import { queueFile } from './worker-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What every program needs to run at all. */
const BASIC_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'SHELL', 'USER', 'LOGNAME', 'TERM']

/** For the worker's own git: logins to remotes and trusted certificates. */
const GIT_VARIABLES =
  /^(?:HOME|XDG_CONFIG_HOME|SSH_AUTH_SOCK|SSH_ASKPASS|GIT_ASKPASS|GIT_SSH|GIT_SSH_COMMAND|GIT_SSL_\w+|SSL_CERT_\w+|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/

const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

function pick(env: Environment, keep: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && keep(entry[0]),
  )
  return Object.fromEntries(entries)
}

/** The complete environment of an agent: the variables of its queue, its own home folder, and what every program needs. */
export function agentEnvironment(
  env: Environment,
  file: WorkerFile,
  queue: string,
  home: string,
): Readonly<Record<string, string>> {
  const { secrets, settings } = queueFile(file, queue)
  const names = new Set([...BASIC_VARIABLES, ...CERTIFICATES, ...secrets, ...settings])
  return { ...pick(env, (name) => names.has(name)), HOME: home }
}

export const gitEnvironment = (env: Environment): Readonly<Record<string, string>> =>
  pick(env, (name) => BASIC_VARIABLES.includes(name) || GIT_VARIABLES.test(name))

/**
 * What check commands may inherit from this process. It includes the queue's secrets, because only known values can be redacted
 * from output. Commands see them only if the repository's configuration allows it.
 */
export function processEnvironment(
  env: Environment,
  file: WorkerFile,
  queue: string,
): Readonly<Record<string, string>> {
  const { secrets, settings } = queueFile(file, queue)
  const names = new Set([...BASIC_VARIABLES, ...CERTIFICATES, 'HOME', 'EXITGATE_SANDBOX', ...secrets, ...settings])
  return pick(env, (name) => names.has(name))
}

/** Removes all other variables from this process, so that nothing it starts can inherit them. */
export function restrictEnvironment(allowed: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(allowed, name)) delete process.env[name]
}
