import { setTimeout as sleep } from 'node:timers/promises'
import { FleetError } from './errors.ts'

const TRIES = 6
const FIRST_MS = 500

/**
 * Tries again what a remote refused: servers of repositories have bad minutes too. The last refusal is the answer, and so is one that
 * a person has to mend.
 */
export async function persistently<T>(
  work: () => Promise<T>,
  wanted: () => boolean,
  refused: (error: unknown) => void = () => {},
): Promise<T> {
  for (let tries = 1, pause = FIRST_MS; ; tries++, pause *= 2) {
    try {
      return await work()
    } catch (error) {
      const isFinal = error instanceof FleetError && error.exitCode === 64
      if (isFinal || tries === TRIES || !wanted()) throw error
      refused(error)
      await sleep(pause)
    }
  }
}
