import { describe, expect, it } from 'vitest'
import type { Streams } from '../../src/loop/agent/follow.ts'
import { whenSilent } from '../../src/loop/agent/silence.ts'

/** Watches silent streams until the agent is stopped. Returns each answer that this needed. */
function looksUntilStopped(answers: readonly boolean[]): Promise<readonly boolean[]> {
  const asked: boolean[] = []
  return new Promise((resolve) => {
    const mayBeSilent = (): boolean => {
      const answer = answers[asked.length] ?? false
      asked.push(answer)
      return answer
    }
    whenSilent({ silentMs: 1_000 } as Streams, { silenceMs: 1, mayBeSilent }, () => resolve(asked))
  })
}

describe('a silent agent', () => {
  it.each([
    ['that prints while it works is stopped', [false]],
    ['that prints at its end is stopped one limit after it could have ended', [true, true, false, false]],
    ['that starts another one like it is left alone', [true, false, true, false, false]],
  ])('%s', async (_name, answers) => {
    expect(await looksUntilStopped(answers)).toEqual(answers)
  })
})
