import type { Host } from '../hooks/host.ts'
import { HOSTS } from '../hooks/index.ts'
import { findProgram } from '../system/find-program.ts'
import type { Io } from './io.ts'

/** Programs that are not called like their host. */
const PROGRAMS: Readonly<Record<string, string>> = { cursor: 'cursor-agent' }

/** The hosts whose program is on the search path. */
export function hostsHere(
  dir: string,
  { env, platform }: Io,
): readonly { readonly host: Host; readonly program: string }[] {
  return HOSTS.map((host) => ({ host, program: PROGRAMS[host.name] ?? host.name })).filter(
    ({ program }) => findProgram(program, dir, env, platform) !== undefined,
  )
}
