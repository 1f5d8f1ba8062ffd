import type { Io } from './io.ts'

/** Colours only where a person looks: a terminal, no NO_COLOR, no --no-color. */
export function usesColor(stream: Io['stdout'], env: Io['env'], noColor: boolean | undefined): boolean {
  if (noColor || (env.NO_COLOR !== undefined && env.NO_COLOR !== '')) return false
  return stream.isTTY === true && env.TERM !== 'dumb'
}
