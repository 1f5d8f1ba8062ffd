import { type Environment, scrubbed } from '../../system/environment.ts'

/** Variables that name the original, search paths above all, with the copy in its place. */
export function movedEnvironment(
  env: Environment,
  allow: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Record<string, string> {
  const moved = Object.entries(scrubbed(env, allow)).map(
    ([name, value]) => [name, movedValue(value, from, to)] as const,
  )
  return Object.fromEntries(moved.filter(([name, value]) => value !== env[name]))
}

/** `/a/b` is part of `/a/b/c` and `/a/b:/d`, but not of `/a/bc`. */
export function movedValue(value: string, from: string, to: string): string {
  const parts = value.split(from)
  const last = parts.length - 1
  return parts.map((part, i) => part + (i === last ? '' : /^[^/\\:;,"'\s]/.test(parts[i + 1]!) ? from : to)).join('')
}
