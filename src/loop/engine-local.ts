import type { Control, Engine } from '../core/run.ts'

/** What the names of the agent's steps begin with. */
const AGENT = 'agent'

/** Where the results of steps are kept that must not be done twice. */
export interface Memory {
  keeps(name: string): boolean
  kept(name: string): unknown
  keep(name: string, result: unknown): void
}

export interface LocalEngine extends Engine {
  /** Somebody asks for something. What the step under way has to do with it, it is told by its signal. */
  send(control: Control, now?: boolean): void
  /** An agent is at work. */
  agentWorks(): boolean
}

/** The engine of one machine: steps run here and now, and what must survive this process is in its memory, the journal. */
export function localEngine(memory: Memory): LocalEngine {
  const asked: Control[] = []
  let current: { readonly name: string; readonly abort: AbortController } | undefined
  return {
    async step<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (memory.keeps(name)) {
        const before = memory.kept(name)
        if (before !== undefined) return before as T
      }
      const abort = new AbortController()
      current = { name, abort }
      // What was asked between two steps concerns the one that comes.
      for (const control of asked) if (ends(control, name, false)) abort.abort(control.kind)
      try {
        const result = await work(abort.signal)
        if (memory.keeps(name)) memory.keep(name, result)
        return result
      } finally {
        current = undefined
      }
    },
    async poll() {
      return asked.splice(0)
    },
    send(control, now = false) {
      asked.push(control)
      if (current !== undefined && ends(control, current.name, now)) current.abort.abort(now ? 'now' : control.kind)
    },
    agentWorks: () => current?.name.startsWith(AGENT) === true,
  }
}

/** An agent at work is left to finish unless the person wants otherwise; a wait is over whatever the person wants. */
export function ends({ kind }: Control, step: string, now: boolean): boolean {
  if (now) return true
  if (step.startsWith('wait')) return true
  // Before there is a run nothing can be forced or skipped; it waits until there is one.
  if (step === 'begin') return kind === 'interrupt'
  if (kind === 'force' || kind === 'skip') return true
  return kind === 'interrupt' && !step.startsWith(AGENT)
}
