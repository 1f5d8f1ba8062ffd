import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { outermost, realPath, type Sandbox } from './sandbox.ts'

/** Variables that describe this machine, not the container. */
const NOT_PASSED = new Set(['PATH', 'HOME', 'TMPDIR', 'HOSTNAME', 'SHELL', 'PWD', 'OLDPWD', 'LD_LIBRARY_PATH'])

/**
 * Docker or Podman, with an image of the user's choice that has the agent and the project's tools. Nothing of the machine is in it
 * except the writable and readable folders, under the same paths.
 */
export function container(program: string, name: 'docker' | 'podman', image: string): Sandbox {
  return {
    name,
    canMount: true,
    endsAll: true,
    wrap(argv, rules, env) {
      const mount = (paths: readonly string[], mode: 'rw' | 'ro') =>
        outermost(paths.map(realPath))
          .filter((path) => existsSync(path))
          .flatMap((path) => ['--volume', `${path}:${path}:${mode}`])
      const variables = Object.keys(env).filter((variable) => !NOT_PASSED.has(variable))
      const [uid, gid] = [process.getuid?.(), process.getgid?.()]
      return [
        ...[program, 'run', '--rm', '--init', '--interactive', '--name', `exitgate-${randomBytes(8).toString('hex')}`],
        ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--workdir', rules.cwd],
        ...(uid === undefined || name === 'podman' ? [] : ['--user', `${uid}:${gid}`]),
        ...(rules.network ? [] : ['--network', 'none']),
        ...mount(rules.readable, 'ro'),
        ...mount(rules.writable, 'rw'),
        ...(rules.mounts ?? []).flatMap(({ from, to, writable }) => [
          '--volume',
          `${from}:${to}:${writable ? 'rw' : 'ro'}`,
        ]),
        // The values come from the environment of the client, so that they are in no list of processes.
        ...variables.flatMap((variable) => ['--env', variable]),
        image,
        ...argv,
      ]
    },
    end(argv) {
      const id = argv[argv.indexOf('--name') + 1] ?? ''
      spawnSync(program, ['rm', '--force', id], { stdio: 'ignore', timeout: 30_000 })
    },
  }
}
