import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 6
const FIRST_MS = 500

/** Tries again what a remote refused: servers of repositories have bad minutes too. The last refusal is the answer. */
export async function persistently<T>(work: () => Promise<T>, wanted: () => boolean): Promise<T> {
  for (let tries = 1, pause = FIRST_MS; ; tries++, pause *= 2) {
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES || !wanted()) throw error
      await sleep(pause)
    }
  }
}
