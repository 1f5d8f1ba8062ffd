import { setFlagsFromString } from 'node:v8'

let limits = 0

/**
 * V8 lets the heap grow to several times the memory in use before it collects. This limits the growth to half, until the returned
 * function is called.
 */
export function limitHeapGrowth(): () => void {
  limits += 1
  setFlagsFromString('--heap-growing-percent=50')
  return () => {
    limits -= 1
    if (limits === 0) setFlagsFromString('--heap-growing-percent=0')
  }
}

/** Below this, collecting more often would take more time than the memory is worth. */
const MANY_FILES = 20_000

/** The same for work on the list of a large tree; no limit for a small one. */
export const limitHeapFor = (files: readonly string[]): (() => void) =>
  files.length > MANY_FILES ? limitHeapGrowth() : () => {}
