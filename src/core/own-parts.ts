import type { Config } from './config.ts'
import type { Preset } from './preset.ts'
import type { Answer, Policy, Rule } from './types.ts'

/** What a check of your own answers. A check that throws counts as `unknown`. */
export type OwnAnswer =
  | boolean
  | Answer
  | {
      readonly answer: boolean | Answer
      /** One sentence for people. */
      readonly detail?: string
      readonly counts?: Readonly<Record<string, number>>
    }

/** What a check of your own can look at. */
export interface OwnCheckContext {
  /** The workspace's absolute path. */
  readonly dir: string
  /** Whether the agent says it is done: only then is a costly check worth it. */
  readonly claim: boolean
  /** Text of a file in the workspace; undefined if it does not exist, is binary or is outside. */
  read(path: string): string | undefined
  /** Runs a command line in the workspace, without secrets in its environment and with a deadline. */
  run(command: string | readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>
  readonly signal: AbortSignal
}

/** A question to the workspace, in code. */
export interface OwnCheck<Name extends string = string> {
  readonly name: Name
  run(context: OwnCheckContext): OwnAnswer | Promise<OwnAnswer>
}

/** How to start an agent that exitgate does not know. */
export interface OwnAgent {
  readonly name: string
  /** What it prints: one of the formats of `openReader`. `auto` unless given. */
  readonly format?: string
  /** The command for one iteration. `stdin` is the prompt unless given. */
  command(start: {
    readonly prompt: string
    /** The same prompt in a file. */
    readonly promptFile: string
    /** The agent's own session to continue. */
    readonly session?: string
    /** Further arguments the user passed. */
    readonly args: readonly string[]
  }): {
    readonly argv: readonly string[]
    readonly stdin?: string
    readonly env?: Readonly<Record<string, string>>
  }
}

/** What a project adds in code. Code cannot be journaled, so a configuration names it by the hash of its content. */
export interface OwnParts {
  readonly presets: readonly Preset[]
  readonly rules: readonly Rule[]
  readonly checks: readonly OwnCheck[]
  readonly agents: readonly OwnAgent[]
}

const NONE: OwnParts = { presets: [], rules: [], checks: [], agents: [] }
const loaded = new Map<string, OwnParts>()

/** Makes parts known under the hash that configurations name them by. */
export function keepOwnParts(hash: string, parts: Partial<OwnParts>): void {
  loaded.set(hash, { ...NONE, ...parts })
}

/** Whether the code that a configuration names is loaded; a configuration without code needs none. */
export const ownPartsLoaded = ({ extensions }: Pick<Config, 'extensions'>): boolean =>
  extensions === undefined || loaded.has(extensions)

/** Why a decision of the past cannot be taken again. */
export const otherCode = ({ extensions = '' }: Pick<Config, 'extensions'>): string =>
  `it was decided with code of the project's own (content ${extensions.slice(0, 12)}) that has changed since or is not here, so it cannot be decided again`

/** The parts a configuration was loaded with. Throws when other code is loaded now: it must not decide instead. */
export function ownPartsOf({ extensions }: Pick<Config, 'extensions'>): OwnParts {
  if (extensions === undefined) return NONE
  const parts = loaded.get(extensions)
  if (parts !== undefined) return parts
  throw new OwnPartsError(
    `this run started with other code in its configuration file (content ${extensions.slice(0, 12)}); restore that file, or start a new run`,
  )
}

/** A person can fix it, so the command line ends as for any other wrong input. */
export class OwnPartsError extends Error {
  readonly exitCode = 64
  override readonly name = 'OwnPartsError'
}

/** Own rules come after everything that can complete a run: success is decided first. */
export function withRules(policy: Policy, rules: readonly Rule[]): Policy {
  if (rules.length === 0) return policy
  const last = policy.rules.findLastIndex(
    ({ decision }) => decision.action === 'advance' || (decision.action === 'stop' && decision.outcome === 'completed'),
  )
  return { ...policy, rules: [...policy.rules.slice(0, last + 1), ...rules, ...policy.rules.slice(last + 1)] }
}
