import type { Fields } from './fields.ts'
import type { Installation } from './install/installation.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** An agent is about to end its turn, as its host tells it. */
export interface Stop {
  /** The whole turn, the turn of a helper that the agent started, or one entry of the agent's own list of work. */
  readonly of: 'turn' | 'helper' | 'task'
  readonly session: string
  /** Another one with every prompt of the person; empty where the host does not say. */
  readonly prompt: string
  /** Which helper or entry it is, where several stop within one prompt. */
  readonly part: string
  /** Where the agent works, the most certain folder first. */
  readonly folders: readonly string[]
  /** The final message, when the host hands it over. */
  readonly message?: string
  /** Where the host writes the conversation down: it may lag behind, so it is only asked when there is no message. */
  readonly transcript?: string
  /** What the person asked for: an echo of it is not a claim. */
  readonly asked?: string
  /** Why this is no end of work: a plan to be approved, an error of the provider, a person who interrupted. */
  readonly notAnEnd?: string
  /** What still runs beside the conversation; its end will wake the agent. */
  readonly pending: readonly string[]
  /** False when the host says that no refusal came before this stop. */
  readonly again?: boolean
  /** More of the turn may follow, so only a claim can be judged. */
  readonly maybeMore?: true
}

/** What a hook answers: the stop is let through, or the agent goes on with this reason. */
export type Reply =
  | { readonly action: 'pass'; readonly message?: string }
  | { readonly action: 'refuse'; readonly reason: string }

/** The answer in the host's own form. */
export interface Bytes {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** One program whose end of turn can be refused. */
export interface Host {
  readonly name: string
  /** Refusals in a row after which the host ends the turn itself, without a word; undefined when it never does. */
  cap(env: Environment): number | undefined
  /** The host counts anew when the agent has worked between two refusals. */
  readonly forgives: boolean
  /** Seconds until the host gives up a hook whose configuration does not name another number. */
  readonly seconds: number
  /** Undefined for events that say nothing about an end. */
  read(payload: Fields, env: Environment): Stop | undefined
  /** An event that only brings the text of a message which `read` will not find in the stop itself. */
  remember?(payload: Fields, env: Environment): { readonly stop: Stop; readonly text: string } | undefined
  answer(reply: Reply, stop?: Stop): Bytes
  /** How it is told to call us. */
  installation(): Promise<Installation>
}

/** The number with which a hook ends when all is said on its output. */
export const ANSWERED = 0

export const line = (value: object): string => `${JSON.stringify(value)}\n`
