let running = 0
const waiting: (() => void)[] = []

/**
 * Runs work that must not be interrupted: a commit, a journal entry, files like STATE.md. Sections can be nested. Nothing inside may
 * wait for the signal that ends the agent.
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

/** Waits until no section is running. Another one may start before the caller continues, so the caller checks again. */
export async function whenIdle(): Promise<void> {
  while (running > 0) await new Promise<void>((resolve) => waiting.push(resolve))
}
