/**
 * `exitgate/ai-sdk`: a tool the model calls when it is done, and a stop condition that accepts this only if the checks agree. For
 * `generateText`, `streamText` and `ToolLoopAgent` of the AI SDK.
 */
import { jsonSchema, type Tool } from 'ai'
import { read } from '../core/signals/read.ts'
import type { Verdict } from '../core/types.ts'
import { transcriptOf } from './decider.ts'
import type { CheckRequest, Gate } from './gate.ts'

/** Input of the `exit_signal` tool. */
export interface ExitSignal {
  readonly status: 'complete' | 'continue' | 'blocked'
  readonly reason?: string
  readonly remaining_work?: string
}

/** Result of the `exit_signal` tool: whether the model may stop, and what is missing. */
export interface ExitAnswer {
  readonly accepted: boolean
  readonly reason: string
  readonly missing: readonly string[]
}

type Checks = Pick<Gate, 'begun' | 'check' | 'last'>

/** What kept a gate from checking. The SDK hands an error of a tool to the model, which then calls the tool until the steps run out. */
const failures = new WeakMap<Checks, unknown>()

async function checked(gate: Checks, request: CheckRequest): Promise<Verdict> {
  try {
    if (gate.begun) return await gate.check(request)
    throw new TypeError('the gate has no baseline. Call `await gate.begin()` before the model starts to work.')
  } catch (error) {
    failures.set(gate, error)
    throw error
  }
}

/** The tool `exit_signal`. Add it to `tools` under that name. */
export function exitSignal(gate: Checks): Tool<ExitSignal, ExitAnswer> {
  return {
    description:
      'Call this when the task is done, or when you are blocked. The project is then checked. If something is missing, the result lists it, and you continue working.',
    inputSchema: jsonSchema<ExitSignal>({
      type: 'object',
      properties: {
        status: { type: 'string', enum: ['complete', 'continue', 'blocked'] },
        reason: { type: 'string', description: 'one sentence' },
        remaining_work: { type: 'string', description: 'what is left to do; "none" if nothing is left' },
      },
      required: ['status'],
      additionalProperties: false,
    }),
    async execute(signal) {
      const verdict = await checked(gate, { output: '', format: 'text', exitSignal: { ...signal } })
      const { reason, missing } = verdict
      return { accepted: verdict.action === 'stop' && verdict.outcome === 'completed', reason, missing }
    },
  }
}

/** The parts of an AI SDK step that are used here. */
interface Step {
  readonly text: string
  readonly toolCalls: readonly { readonly toolName: string }[]
}

/**
 * A condition for `stopWhen`. True once the gate decided to stop, because the work is verified or the run is stuck. A step whose
 * text claims to be done is checked too. Throws if the gate can't check, so that the error reaches you and not only the model.
 */
export function gateStops(gate: Checks): (options: { readonly steps: readonly Step[] }) => Promise<boolean> {
  const seen = new WeakSet<Verdict>()
  return async ({ steps }) => {
    const step = steps.at(-1)
    if (step === undefined) return false
    const called = step.toolCalls.some(({ toolName }) => toolName === 'exit_signal')
    if (failures.has(gate)) throw failures.get(gate)
    if (!called && read(transcriptOf({ output: step.text, format: 'text' })).claim !== true) return false
    const verdict = called ? gate.last : await checked(gate, { output: step.text, format: 'text' })
    if (verdict === undefined || seen.has(verdict)) return false
    seen.add(verdict)
    return verdict.action === 'stop'
  }
}
