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

let holds = 0

/**
 * Newer versions of V8 let the part of the heap for new objects grow to more than 100 MB while much text is read. This keeps its size
 * until the returned function is called.
 */
export function holdYoungHeap(): () => void {
  holds += 1
  setFlagsFromString('--semi-space-growth-factor=1')
  return () => {
    holds -= 1
    if (holds === 0) setFlagsFromString('--semi-space-growth-factor=2')
  }
}
