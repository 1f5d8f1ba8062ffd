/** What the scripts of a scenario may do; see world.mjs. */
export interface World {
  readonly n: number
  readonly state: Record<string, unknown>
  readonly prompt: string
  write(path: string, text: string): void
  read(path: string): string
  edit(path: string, from: string, to: string): void
  append(path: string, text: string): void
  remove(path: string): void
  sh(command: string): string
  say(text: string): void
  raw(bytes: string | Uint8Array): void
  claim(options?: { readonly only?: string | readonly string[] }): void
  notDone(remaining: string, options?: { readonly only?: string | readonly string[] }): void
  exit(code: number): never
  sleep(ms: number): Promise<void>
}

export interface Scenario {
  readonly name: string
  readonly class: string
  readonly needs?: readonly string[]
  /** Packages of npm that the workspace has installed. */
  readonly packages?: readonly string[]
  readonly files: Readonly<Record<string, string | { readonly text: string; readonly mode: number }>>
  readonly prompt: string
  readonly plan?: string
  readonly test?: string
  readonly args?: readonly string[]
  readonly format?: string
  readonly hidden: {
    readonly files: Readonly<Record<string, string>>
    readonly command: readonly string[]
    readonly says?: string
  }
  readonly iterations: readonly ((world: World) => void | Promise<void>)[]
}

/** Where one run happens. */
export interface Ground {
  readonly dir: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly trees: string
}

/** How one system fared with one scenario. */
export interface Run {
  readonly completed: boolean
  readonly ending: string
  readonly reason?: string
  readonly missing?: readonly string[]
  readonly started: number
  readonly iterations: readonly { readonly n: number; readonly tree?: string; readonly claimed?: boolean }[]
  readonly finalTree: string
  readonly ownMs?: readonly number[]
}

/** The same, against the truth. */
export interface JudgedRun {
  readonly scenario: string
  readonly class: string
  readonly ending: string
  readonly reason?: string
  readonly started: number
  readonly done: number | null
  readonly false: boolean
  readonly missed: boolean
  readonly wasted: number | null
  readonly idle: number | null
}

export interface System {
  readonly name: string
  readonly run: (scenario: Scenario, ground: Ground) => Promise<Run>
  readonly takes?: (scenario: Scenario) => boolean
  readonly as?: (scenario: Scenario) => Scenario
}
