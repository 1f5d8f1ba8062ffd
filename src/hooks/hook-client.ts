import type { Fields } from './fields.ts'
import type { Installation } from './install/installation.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** An agent is about to end its turn, as its CLI reports it. */
export interface Stop {
  /** The whole turn, the turn of a sub-agent, or one entry of the agent's own task list. */
  readonly of: 'turn' | 'helper' | 'task'
  readonly session: string
  /** Different for every prompt of the user; empty if the client doesn't report it. */
  readonly prompt: string
  /** Which sub-agent or entry it is, if several stop within one prompt. */
  readonly part: string
  /** Where the agent works, the most reliable folder first. */
  readonly folders: readonly string[]
  /** The final message, if the client sends it. */
  readonly message?: string
  /** All texts of the turn so far, if the client doesn't send the final message alone. */
  readonly soFar?: string
  /** The client's transcript file. It may be incomplete, so it is read only if there is no message. */
  readonly transcript?: string
  /** For a client that writes the transcript late: whether these lines contain the final message. */
  readonly isComplete?: (lines: readonly string[]) => boolean
  /** The user's prompt: an echo of it is not a claim. */
  readonly asked?: string
  /** Why this is not the end of the work: a plan to approve, a provider error, an interrupt by the user. */
  readonly notAnEnd?: string
  /** Background work that will wake the agent when it ends. */
  readonly pending: readonly string[]
  /** False if the client reports that no refusal came before this stop. */
  readonly again?: boolean
  /** More of the turn may follow, so only a claim is checked. */
  readonly maybeMore?: true
  /** The client can show a refusal as feedback; otherwise it shows an error. */
  readonly feedback?: true
}

/** The answer of a hook: the stop passes, or the agent continues with this reason. */
export type Reply =
  | { readonly action: 'pass'; readonly message?: string }
  | { readonly action: 'refuse'; readonly reason: string }

/** The answer in the client's format. */
export interface Bytes {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** An agent CLI that asks exitgate before a turn ends. */
export interface HookClient {
  readonly name: string
  /** Refusals in a row after which the client silently ends the turn; undefined if there is no limit. */
  cap(env: Environment): number | undefined
  /** The client starts its count again when a tool runs between two refusals. */
  readonly forgives: boolean
  /** The client also refuses by exit code. With the others, a hook that fails must not look like a refusal. */
  readonly refusesByCode?: true
  /** The client's default timeout for a hook, in seconds. */
  readonly seconds: number
  /** Undefined for other events. */
  read(payload: Fields, env: Environment): Stop | undefined
  /** Reads an event that carries only the final message, for clients whose stop event lacks it. */
  remember?(payload: Fields, env: Environment): { readonly stop: Stop; readonly text: string } | undefined
  answer(reply: Reply, stop?: Stop): Bytes
  /** How to install the hook. */
  installation(): Promise<Installation>
}

/** The exit code of a hook that answers on its output. */
export const ANSWERED = 0

export const line = (value: object): string => `${JSON.stringify(value)}\n`
