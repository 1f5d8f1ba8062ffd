import { expect, it } from 'vitest'
import type { AgentResult } from '../../src/core/run.ts'
import { failureOf } from '../../src/loop/limits/failure.ts'
import { resultOf } from './agent-result.ts'

const DONE = '---\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: all done\\n---'
const claim = `{"type":"item.completed","item":{"type":"agent_message","text":"${DONE}"}}`
const cutOff =
  '{"type":"turn.failed","error":{"message":"stream disconnected: Incomplete response returned, reason: max_output_tokens"}}'
const codex = (...lines: readonly string[]) => ['{"type":"thread.started","thread_id":"t"}', ...lines].join('\n')
const turn = '{"type":"turn.completed","usage":{}}'

const rows: [about: string, result: AgentResult, expected: object | undefined][] = [
  [
    'an answer that was cut off, with a claim, and an exit code',
    resultOf(codex(claim, cutOff), 'codex', { code: 1 }),
    { cause: 'length', reason: expect.stringMatching(/^the answer is too long: .*max_output_tokens$/) },
  ],
  [
    "an own sandbox that can't start",
    { ...resultOf(codex(turn), 'codex'), ownSandbox: 'bwrap: setting up uid map: Operation not permitted' },
    {
      cause: 'setup',
      reason: expect.stringMatching(
        /^the agent's own sandbox can't start in exitgate's: bwrap: setting up uid map: .* Turn one of them off/,
      ),
    },
  ],
  [
    "an own sandbox that can't start, and a claim",
    { ...resultOf(codex(claim, turn), 'codex'), ownSandbox: 'bwrap: no' },
    undefined,
  ],
  [
    'an agent without a login that does nothing until its time is over',
    { ...resultOf(codex(), 'codex', { ended: 'deadline' }), ms: 300_000, noLogin: true },
    { cause: 'login', reason: 'no login was found, and it did nothing in 5 minutes' },
  ],
  [
    'an agent without a visible login that works until its time is over',
    { ...resultOf(codex(claim), 'codex', { ended: 'deadline' }), ms: 300_000, noLogin: true },
    { cause: 'time', reason: 'the agent was stopped after 5 minutes (time limit)' },
  ],
]
it.each(rows)('%s', (_about, result, expected) => {
  const found = failureOf(result)
  if (expected === undefined) expect(found).toBeUndefined()
  else expect(found).toEqual(expected)
})
