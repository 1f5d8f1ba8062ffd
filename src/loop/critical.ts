let running = 0
const waiting: (() => void)[] = []

/**
 * Work that must not be cut in the middle: a commit, the journal, files like STATE.md. Such sections may lie within one
 * another. Nothing that runs in one may hang on the signal that ends the agent.
 */
export async function critical<T>(work: () => T | Promise<T>): Promise<T> {
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    if (running === 0) for (const go of waiting.splice(0)) go()
  }
}

export const inCritical = (): boolean => running > 0

/** When no such section is running. The next one may begin before whoever waits gets its turn, so it looks again. */
export async function whenCalm(): Promise<void> {
  while (running > 0) await new Promise<void>((resolve) => waiting.push(resolve))
}
