/** A laptop that sleeps stops timers, so the clock is looked at again this often. */
const LOOK_AGAIN_MS = 5_000

/** Waits until a time of the clock, or for ever; an aborted signal ends it early. */
export async function sleepUntil(until: number | undefined, now: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (until === undefined || now() < until)) {
    const left = until === undefined ? LOOK_AGAIN_MS : until - now()
    await pause(Math.min(Math.max(left, 1), LOOK_AGAIN_MS), signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
