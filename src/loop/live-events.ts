import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { State } from '../core/journal/events.ts'
import type { LoopEvent, PlanItem } from '../core/loop-event.ts'
import { clean } from '../core/signals/lines.ts'
import { IterationDiffs } from '../evidence/iteration-diff.ts'
import type { Baseline, OnCommand, Workspace } from '../evidence/types.ts'
import { redact } from '../system/redact.ts'
import type { AgentHooks } from './agent/call.ts'

interface LiveOptions {
  /** The state folder. */
  readonly dir: string
  now(): number
  emit(event: LoopEvent): void
}

/** The events between two entries of the journal: what the agent and the checks are doing, and warnings. */
export class LiveEvents {
  readonly #options: LiveOptions
  readonly #warned = new Set<string>()
  readonly #diffs = new IterationDiffs()
  #plan = ''

  constructor(options: LiveOptions) {
    this.#options = options
  }

  warn(texts: readonly string[]): void {
    for (const text of texts) this.#options.emit({ type: 'warning', text, at: this.#options.now() })
  }

  /** Each only once per run. */
  warnOnce(texts: readonly string[]): void {
    this.warn(texts.filter((each) => !this.#warned.has(each) && this.#warned.add(each)))
  }

  get agentHooks(): Pick<AgentHooks, 'onText' | 'onUsage'> {
    const { emit, now } = this.#options
    return {
      onText: (text, tool) => emit({ type: 'output', text, ...(tool && { tool }), at: now() }),
      onUsage: ({ tokens, usd }) =>
        emit({ type: 'usage', ...(tokens !== undefined && { tokens }), ...(usd !== undefined && { usd }), at: now() }),
    }
  }

  get onCommand(): OnCommand {
    const { emit, now } = this.#options
    const shown = (text: string): string => redact(clean(text))
    return (event) => {
      if (event.type === 'command') emit({ ...event, command: shown(event.command), at: now() })
      else if (event.type === 'command-output') emit({ ...event, text: shown(event.text), at: now() })
      else emit({ ...event, at: now() })
    }
  }

  /** Reports the plan if it differs from the last time. */
  plan(path: string | undefined, items: readonly PlanItem[] | undefined): void {
    if (path === undefined || items === undefined) return
    const text = JSON.stringify([path, items])
    if (text === this.#plan) return
    this.#plan = text
    this.#options.emit({ type: 'plan', path, items, at: this.#options.now() })
  }

  /** Finds what this iteration changed, stores the diff next to its output, and reports it. */
  changes({ run = '', iterations }: State): (workspace: Workspace, baseline: Baseline) => Promise<void> {
    const iteration = iterations + 1
    const { dir, emit, now } = this.#options
    return async (workspace, baseline) => {
      const { files, texts } = await this.#diffs.next(workspace, baseline)
      if (files.length === 0) return
      const file = `transcripts/${run}/${iteration}.diff`
      try {
        mkdirSync(join(dir, 'transcripts', run), { recursive: true, mode: 0o700 })
        // File by file: a private key that is cut off would hide all files after it.
        writeFileSync(join(dir, file), texts.map((text) => redact(text)).join(''), { mode: 0o600 })
        emit({ type: 'diff', iteration, files, file, at: now() })
      } catch (error) {
        this.warnOnce([`The diff of iteration ${iteration} could not be stored: ${(error as Error).message}.`])
      }
    }
  }
}
