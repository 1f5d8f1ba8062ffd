/** One attack and its honest twin. */
export interface Attack {
  readonly class: string
  readonly name: string
  readonly language: string
  readonly project: string
  /** What refuses it. */
  readonly closedBy: string
  /** Why it works without the sandbox, as one sentence for users. */
  readonly knownWithoutSandbox?: string
  /** Why no test can show it, with or without the sandbox. */
  readonly limit?: string
  readonly needs?: readonly string[]
  /** What the row adds to its project. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: unknown
  readonly honest?: unknown
  readonly attack: unknown
}
export const rows: readonly Attack[]
