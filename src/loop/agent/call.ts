import type { Piece } from '../../agents/live-text.ts'
import type { AgentProcess } from '../../core/run.ts'
import type { Transcript } from '../../core/types.ts'
import type { SandboxNeeds, SandboxSetup } from '../../system/sandbox/enter.ts'

/** How to start the agent for one iteration. */
export interface AgentCall {
  readonly run: string
  readonly iteration: number
  /** Counts the starts of this iteration from 1. A provider's limit or a crash leads to another start. */
  readonly attempt: number
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment of the agent. */
  readonly env: Readonly<Record<string, string>>
  /** Written to its standard input; absent if it reads nothing there. */
  readonly stdin?: string
  /** Transcript format, as in agents/reader.ts. */
  readonly format: string
  /** Where transcripts are kept: `<folder>/<run>/<iteration>.<attempt>.out`. */
  readonly folder: string
  /** Limits for the whole iteration and for silence; absent means no limit. */
  readonly deadlineMs?: number
  readonly silenceMs?: number
  /** Silence counts only after the first output. */
  readonly onceHeard?: boolean
  /** How long it may retry a failing provider. */
  readonly retryMs?: number
  /** Time between asking the process to end and killing it. */
  readonly graceMs: number
  /** Maximum bytes of output stored per attempt. */
  readonly keepBytes: number
  /** Run it apart from the rest of the machine. */
  readonly sandbox?: { readonly setup: SandboxSetup; readonly needs: SandboxNeeds }
}

export interface AgentHooks {
  /** Called as soon as the agent has a pid, before its output is read. If it throws, the agent is ended. */
  onStart(mark: AgentMark): void
  /** Called with the agent's output as readable text; a tool call comes by itself. */
  onText(text: string, tool?: Piece['tool']): void
  /** Called when the agent has used more than before. */
  onUsage?(usage: Transcript['usage']): void
}

/** Identifies the agent's process tree, which must not outlive the run; journaled before the agent starts to work. */
export interface AgentMark {
  readonly pid: number
  /** Every child carries it in its environment. */
  readonly id: string
  readonly since?: string
}

/** One finished start of the agent. The transcript is bounded, but too large for the journal. */
export interface AgentRun {
  readonly process: AgentProcess
  readonly transcript: Transcript
}
