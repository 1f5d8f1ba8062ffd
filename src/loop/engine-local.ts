import type { Control } from '../core/run.ts'
import { type Engine, endsStep, type StepId, type StepKind, stepName } from './engine.ts'

/** Stores the agent's results by step name, so that an agent never does the same work twice. */
export interface Memory {
  kept(name: string): unknown
  keep(name: string, result: unknown): void
}

export interface LocalEngine extends Engine {
  /** Delivers a control. The signal of the running step is aborted if the control ends that step. */
  send(control: Control, now?: boolean): void
  agentWorks(): boolean
}

/** The engine of one machine: steps run in this process. It stores only the agent's results; all other steps can be repeated. */
export function localEngine(memory: Memory): LocalEngine {
  const pending: { readonly control: Control; readonly now: boolean }[] = []
  let current: { readonly kind: StepKind; readonly abort: AbortController } | undefined
  return {
    async step<T>(id: StepId, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const { kind } = id
      const name = kind === 'agent' ? stepName(id) : undefined
      const before = name === undefined ? undefined : memory.kept(name)
      if (before !== undefined) return before as T
      const abort = new AbortController()
      current = { kind, abort }
      // A control sent between two steps concerns the next one.
      for (const { control, now } of pending) if (endsStep(control, kind, now)) abort.abort(now ? 'now' : control.kind)
      try {
        const result = await work(abort.signal)
        if (name !== undefined) memory.keep(name, result)
        return result
      } finally {
        current = undefined
      }
    },
    async poll() {
      return pending.splice(0).map(({ control }) => control)
    },
    send(control, now = false) {
      pending.push({ control, now })
      if (current !== undefined && endsStep(control, current.kind, now)) current.abort.abort(now ? 'now' : control.kind)
    },
    agentWorks: () => current?.kind === 'agent',
  }
}
