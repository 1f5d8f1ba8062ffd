import { spawnSync } from 'node:child_process'
import type { Environment } from '../environment.ts'
import { findProgram } from '../find-program.ts'
import { bubblewrap } from './bubblewrap.ts'
import { container } from './container.ts'
import type { Sandbox } from './sandbox.ts'
import { seatbelt } from './seatbelt.ts'

export const SANDBOX_MODES = ['auto', 'required', 'off', 'docker', 'podman'] as const
export type SandboxMode = (typeof SANDBOX_MODES)[number]

/** A sandbox that works here, or the reason why there is none and what to do about it. */
export type ChosenSandbox = { readonly sandbox: Sandbox } | { readonly sandbox?: undefined; readonly why: string }

interface ChooseOptions {
  readonly mode: SandboxMode
  /** The image of a container. */
  readonly image?: string | undefined
  readonly env: Environment
  readonly platform?: string
}

const tried = new Map<string, ChosenSandbox>()

/** Finds the sandbox for a mode and tries it once. It never throws. */
export function chooseSandbox({ mode, image, env, platform = process.platform }: ChooseOptions): ChosenSandbox {
  if (mode === 'off') return { why: 'it is turned off' }
  const key = JSON.stringify([mode, image, env.PATH, platform])
  const known =
    tried.get(key) ??
    (mode === 'docker' || mode === 'podman' ? chooseContainer(mode, image, env) : chooseNative(env, platform))
  tried.set(key, known)
  return known
}

const ALL_OF_THE_MACHINE = '--unshare-pid --die-with-parent --ro-bind / / --dev /dev --proc /proc true'.split(' ')

function chooseNative(env: Environment, platform: string): ChosenSandbox {
  if (platform === 'linux') {
    const program = findProgram('bwrap', '/', env)
    if (program === undefined)
      return { why: 'bubblewrap is not installed. Install it (for example: apt install bubblewrap)' }
    const problem = failureOf([program, ...ALL_OF_THE_MACHINE])
    if (problem !== undefined) return { why: `bubblewrap does not work here (${problem})` }
    return { sandbox: bubblewrap(program, process.getuid?.() === 0) }
  }
  if (platform === 'darwin') {
    const program = '/usr/bin/sandbox-exec'
    const problem = failureOf([program, '-p', '(version 1)(allow default)', '/usr/bin/true'])
    return problem === undefined
      ? { sandbox: seatbelt(program) }
      : { why: `sandbox-exec does not work here (${problem})` }
  }
  return { why: `there is no sandbox for ${platform}. Use WSL, or --sandbox docker` }
}

function chooseContainer(name: 'docker' | 'podman', image: string | undefined, env: Environment): ChosenSandbox {
  if (image === undefined) return { why: `no image was named. Pass --image NAME, or set sandbox.image` }
  const program = findProgram(name, '/', env)
  if (program === undefined) return { why: `${name} is not installed` }
  const problem = failureOf([program, 'version', '--format', '{{.Server.Version}}'])
  return problem === undefined
    ? { sandbox: container(program, name, image) }
    : { why: `${name} does not work here (${problem})` }
}

const PATIENCE_MS = 10_000

/** The first line of why a command failed; undefined when it worked. */
function failureOf([file = '', ...args]: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(file, args, {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    env: { PATH: process.env.PATH ?? '' },
  })
  if (status === 0) return undefined
  return error?.message ?? (stderr.trim().split('\n')[0] || `exit code ${status}`)
}
