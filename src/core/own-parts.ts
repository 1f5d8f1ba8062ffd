import type { Config } from './config.ts'
import type { Preset } from './preset.ts'
import type { Answer, Policy, Rule } from './types.ts'

/** The result of your own check. A check that throws counts as `unknown`. */
export type OwnAnswer =
  | boolean
  | Answer
  | {
      readonly answer: boolean | Answer
      /** One sentence for the user. */
      readonly detail?: string
      readonly counts?: Readonly<Record<string, number>>
    }

/** What your own check can use. */
export interface OwnCheckContext {
  /** The absolute path of the workspace. */
  readonly dir: string
  /** Whether the agent says it is done. Run expensive checks only then. */
  readonly claim: boolean
  /** The text of a file in the workspace. Undefined if it doesn't exist, is binary or is outside. */
  read(path: string): string | undefined
  /** Runs a command line in the workspace, with a time limit and without secrets in its environment. */
  run(command: string | readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>
  readonly signal: AbortSignal
}

/** A check in code. */
export interface OwnCheck<Name extends string = string> {
  readonly name: Name
  run(context: OwnCheckContext): OwnAnswer | Promise<OwnAnswer>
}

/** How to start an agent that exitgate has no built-in support for. */
export interface OwnAgent {
  readonly name: string
  /** The output format: one of the formats of `openReader`. Default: `auto`. */
  readonly format?: string
  /** The command for one iteration. Default for `stdin`: the prompt. */
  command(start: {
    readonly prompt: string
    /** A file with the same prompt. */
    readonly promptFile: string
    /** The agent session to continue. */
    readonly session?: string
    /** Extra arguments from the user. */
    readonly args: readonly string[]
  }): {
    readonly argv: readonly string[]
    readonly stdin?: string
    readonly env?: Readonly<Record<string, string>>
  }
}

/** What a project adds in code. Code can't be stored in the journal, so a configuration refers to it by its hash. */
export interface OwnParts {
  readonly presets: readonly Preset[]
  readonly rules: readonly Rule[]
  readonly checks: readonly OwnCheck[]
  readonly agents: readonly OwnAgent[]
}

const NONE: OwnParts = { presets: [], rules: [], checks: [], agents: [] }
const loaded = new Map<string, OwnParts>()

/** Registers parts under the hash that configurations refer to. */
export const registerOwnParts = (hash: string, parts: Partial<OwnParts>): void =>
  void loaded.set(hash, { ...NONE, ...parts })

/** Whether the code of a configuration is loaded. True if it has none. */
export const ownPartsLoaded = ({ extensions }: Pick<Config, 'extensions'>): boolean =>
  extensions === undefined || loaded.has(extensions)

/** For people: the names of code that a program passed, or the hash of a file. */
const codeText = (hash: string): string => hash.split(': ')[1] ?? `content ${hash.slice(0, 12)}`

/** Explains why a past decision can't be made again. */
export const missingCodeText = ({ extensions = '' }: Pick<Config, 'extensions'>): string =>
  `this decision used configuration code (${codeText(extensions)}) that has changed or is missing, so exitgate can't repeat it`

/** The parts a configuration was loaded with. Throws if other code is loaded now, which must not decide instead. */
export function ownPartsOf({ extensions }: Pick<Config, 'extensions'>): OwnParts {
  const parts = extensions === undefined ? NONE : loaded.get(extensions)
  if (parts !== undefined) return parts
  throw new OwnPartsError(
    `the unfinished run in this folder uses configuration code (${codeText(extensions ?? '')}) that has changed or is missing now. Restore that code, or start a new run: \`exitgate run\` without --resume, \`exitgate check --new-run\`, or \`fresh: true\` in a program.`,
  )
}

/** The user can fix it, so the exit code is that of wrong usage. */
export class OwnPartsError extends Error {
  readonly exitCode = 64
  override readonly name = 'OwnPartsError'
}

/** Custom rules come after all rules that can complete a run, because success is decided first. */
export function withRules(policy: Policy, rules: readonly Rule[]): Policy {
  const last = policy.rules.findLastIndex(
    ({ decision }) => decision.action === 'advance' || (decision.action === 'stop' && decision.outcome === 'completed'),
  )
  return { ...policy, rules: [...policy.rules.slice(0, last + 1), ...rules, ...policy.rules.slice(last + 1)] }
}
