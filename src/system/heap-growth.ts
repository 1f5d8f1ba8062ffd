import { setFlagsFromString } from 'node:v8'

/** Sets a flag of V8 until every caller has called the function it got. */
function flagWhileNeeded(name: string, value: number, usual: number): () => () => void {
  let users = 0
  return () => {
    users += 1
    setFlagsFromString(`--${name}=${value}`)
    return () => {
      users -= 1
      if (users === 0) setFlagsFromString(`--${name}=${usual}`)
    }
  }
}

/**
 * V8 lets the heap grow to several times the memory in use before it collects. This limits the growth to half, until the returned
 * function is called.
 */
export const limitHeapGrowth = flagWhileNeeded('heap-growing-percent', 50, 0)

/** Below this, collecting more often would take more time than the memory is worth. */
const MANY_FILES = 20_000

/** The same for work on the list of a large tree; no limit for a small one. */
export const limitHeapFor = (files: readonly string[]): (() => void) =>
  files.length > MANY_FILES ? limitHeapGrowth() : () => {}

/**
 * Newer versions of V8 let the part of the heap for new objects grow to more than 100 MB while much text is read. This keeps its size
 * until the returned function is called.
 */
export const holdYoungHeap = flagWhileNeeded('semi-space-growth-factor', 1, 2)
