import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, resolve } from 'node:path'
import {
  isInOneOf,
  isInside,
  outermost,
  realHome,
  realPath,
  type Sandbox,
  type SandboxRules,
  temporaryFolders,
} from './sandbox.ts'

/** Of /run: the sockets of databases, the files of name resolution, and the programs of NixOS. Everything else can lead out. */
const KEPT_IN_RUN =
  'postgresql mysqld mysql redis memcached mongodb rabbitmq nscd systemd/resolve resolvconf current-system wrappers opengl-driver'
    .split(' ')
    .map((name) => `/run/${name}`)

/** Bubblewrap leaves them writable where root runs it. Through core_pattern, root gets out of every namespace. */
const KERNEL_SETTINGS = ['/proc/sys', '/proc/sysrq-trigger']

/** What root needs to work on files of other users, as in many containers. Nothing that mounts, traces or loads. */
const ROOT_CAPABILITIES = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_FSETID', 'CAP_SETGID', 'CAP_SETUID']

/** Variables that lead to sockets of the user's session. */
const SESSION_VARIABLES = ['DBUS_SESSION_BUS_ADDRESS', 'SSH_AUTH_SOCK', 'GPG_AGENT_INFO', 'TMUX', 'STY', 'XAUTHORITY']

/**
 * Bubblewrap (Linux). The command has its own processes and /proc: it sees and signals no other process, and all of its processes end
 * with it, or with exitgate, also after kill -9. The machine is read-only, home and temporary folders are private.
 */
export function bubblewrap(program: string, isRoot: boolean): Sandbox {
  return {
    name: 'bubblewrap',
    canMount: true,
    endsAll: true,
    wrap: ([name = '', ...args], rules, env) => [
      program,
      ...namespaces(rules, isRoot),
      ...['HOME', 'TMPDIR'].flatMap((at) => (env[at] ? ['--setenv', at, visiblePath(env[at], rules, env)] : [])),
      ...mounts(rules, env),
      ...['--', visiblePath(name, rules, env), ...args],
    ],
  }
}

/** A link in a temporary folder or in /dev/shm is hidden. What it leads to is not. */
function visiblePath(path: string, rules: SandboxRules, env: Readonly<Record<string, string>>): string {
  const shown = [...rules.readable, ...rules.writable, ...(rules.mounts ?? []).map(({ to }) => to)]
  const isIn = (folders: readonly string[]) => folders.some((folder) => isInside(realPath(folder), path))
  return isIn([...temporaryFolders(env), '/dev']) && !isIn(shown) ? realPath(path) : path
}

function namespaces({ network }: SandboxRules, isRoot: boolean): readonly string[] {
  const capabilities = isRoot ? ['--cap-drop', 'ALL', ...ROOT_CAPABILITIES.flatMap((name) => ['--cap-add', name])] : []
  return [
    '--die-with-parent',
    '--unshare-pid',
    '--unshare-ipc',
    ...(network ? [] : ['--unshare-net']),
    ...capabilities,
    ...SESSION_VARIABLES.flatMap((name) => ['--unsetenv', name]),
  ]
}

/** Later mounts cover earlier ones, so a folder comes before what is in it. */
function mounts(rules: SandboxRules, env: Readonly<Record<string, string>>): readonly string[] {
  const onPath = foldersOnPath(env, '/run').filter((path) => !isInOneOf(rules.writable, path))
  const shown = [...rules.readable, ...KEPT_IN_RUN, ...resolverFile(), ...onPath]
  const places = new Map<string, readonly string[]>()
  const put = (paths: readonly string[], mount: (path: string) => readonly string[]): void => {
    for (const path of paths.map(realPath)) if (path !== '/' && existsSync(path)) places.set(path, mount(path))
  }
  put(['/run', ...rules.hidden], (path) => ['--tmpfs', path])
  // A temporary folder in another one would be missing in there.
  put(temporaryFolders(env), (path) => ['--dir', path])
  put(outermost(temporaryFolders(env).map(realPath)), (path) => ['--bind', rules.tmp, path])
  put([realHome(env)], (path) => ['--bind', rules.home, path])
  put(shown, (path) => ['--ro-bind', path, path])
  put(rules.writable, (path) => ['--bind', path, path])
  for (const { from, to, writable } of rules.mounts ?? []) places.set(to, [writable ? '--bind' : '--ro-bind', from, to])
  const inOrder = [...places].sort(([one], [other]) => depthOf(one) - depthOf(other))
  const base = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']
  const kernel = KERNEL_SETTINGS.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path])
  return [...base, ...kernel, ...inOrder.flatMap(([, mount]) => mount), '--chdir', rules.cwd]
}

const depthOf = (path: string): number => path.split('/').length

const foldersOnPath = (env: Readonly<Record<string, string>>, within: string): readonly string[] =>
  (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && isInside(within, folder))

/** /etc/resolv.conf is often a link into /run. */
function resolverFile(): readonly string[] {
  const file = '/etc/resolv.conf'
  try {
    if (!lstatSync(file).isSymbolicLink()) return []
    return [resolve(dirname(file), readlinkSync(file))]
  } catch {
    return []
  }
}
