import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { fingerprint } from '../config/fingerprint.ts'
import type { Loaded } from '../config/load.ts'
import { mergeProject, type ProjectConfig } from '../config/project-config.ts'
import type { State } from '../core/journal/events.ts'
import type { OwnCheck } from '../core/own-parts.ts'
import { observation } from '../core/policy/look.ts'
import { presetOf } from '../core/presets/index.ts'
import { readSignals } from '../core/signals/read-signals.ts'
import { readWithPatterns } from '../core/signals/user-patterns.ts'
import type { Verdict } from '../core/types.ts'
import { stateDirFor } from '../journal/place.ts'
import type { Session } from '../loop/session.ts'
import { type AgentOutput, createDecider, type DecideInput, readOptions, transcriptOf } from './decider.ts'

/**
 * The project folder and any key of a configuration file. `createGate` reads no configuration file and no environment variables.
 */
export interface GateOptions extends ProjectConfig {
  /** The project folder. Default: the current folder. */
  readonly dir?: string
  /** Where journals are stored. Default: the user's state folder. */
  readonly stateDir?: string
}

type KnownCommand = 'test' | 'build' | 'lint' | 'typecheck' | 'quick'
/** Names of the checks and commands that these options define. */
export type OwnNames<Options> =
  | (Options extends { readonly checks: readonly OwnCheck<infer Name>[] } ? Name : never)
  | (Options extends { readonly commands: infer Commands } ? Exclude<keyof Commands & string, KnownCommand> : never)

export interface CheckRequest extends AgentOutput {
  readonly task?: string
}

export interface Gate<Own extends string = never> {
  /**
   * Records the baseline: the state of tests and files before the agent starts. Without it, exitgate compares with the last commit.
   */
  begin(): Promise<void>
  /** Reads the agent's output, runs the checks, decides, and records the decision. */
  check(request: CheckRequest): Promise<Verdict>
  /** Decides based on evidence you pass in. Runs and writes nothing. Counters carry over between calls. */
  decide(input: DecideInput<Own>): Verdict
  /** The verdict of the last `check` or `decide`. */
  readonly last: Verdict | undefined
  /** The current state of this workspace's journal. */
  state(): Promise<State>
}

/**
 * A gate for one workspace.
 *
 * ```ts
 * const gate = createGate({ dir: '.', commands: { test: 'npm test' } })
 * const verdict = await gate.check({ output: 'All done.\n\nEXIT_STATUS: COMPLETE\n' })
 * ```
 */
export function createGate<const Options extends GateOptions>(options: Options): Gate<OwnNames<Options>> {
  const { loaded, workspace, stateDir } = libraryPlace(options)
  const { config } = loaded
  const own = [...(options.checks ?? []).map(({ name }) => name), ...Object.keys(config.commands)]
  const decider = createDecider<OwnNames<Options>>(config, { own, read: readWithPatterns })
  let last: Verdict | undefined
  return {
    get last() {
      return last
    },
    async state() {
      const { readJournal } = await import('../journal/read.ts')
      return readJournal(stateDir).state
    },
    decide(input) {
      last = decider.decide(input)
      return last
    },
    async begin() {
      await inSession(undefined, async (session) => {
        if (!session.fresh) return
        const { takeStart } = await import('../loop/reference.ts')
        const taken = await takeStart({ ...(await gatherInput(session, {})), claim: false })
        session.begin(taken.evidence, taken.baselineId)
      })
    },
    async check(request) {
      last = await inSession(request.task, async (session) => {
        const transcript = transcriptOf(request)
        const signals = await readSignals(transcript, readOptions(session.policy, request))
        const { gather } = await import('../evidence/gather.ts')
        const { keepVerified, referenceOfCheck } = await import('../loop/reference.ts')
        const about = { workspace, stateDir, config: session.config }
        const { reference, pinned } = await referenceOfCheck(about, session)
        if (pinned !== undefined) session.pin(pinned)
        const { evidence } = await gather({
          ...(await gatherInput(session, request)),
          claim: signals.claim === true,
          ...(reference === undefined ? {} : { reference }),
        })
        const { ms = 0, tokens = 0, usd = 0 } = transcript.usage
        const task = request.task === undefined ? {} : { task: request.task }
        const decided = session.decide(observation(signals, evidence, { spent: { ms, tokens, usd }, ...task }))
        await keepVerified(about, session, { verdict: decided.verdict, evidence }, Date.now())
        const { writeReadableCopy } = await import('../journal/readable-copy.ts')
        writeReadableCopy(workspace, session.state)
        return decided.verdict
      })
      return last
    },
  }

  async function inSession<T>(task: string | undefined, work: (session: Session) => Promise<T>): Promise<T> {
    const { openSession } = await import('../loop/session.ts')
    const session = await openSession({
      ...{ dir: stateDir, loaded, now: Date.now, record: true, newRun: false },
      ...(task === undefined ? {} : { task }),
    })
    try {
      return await work(session)
    } finally {
      session.close()
    }
  }

  async function gatherInput({ config, state, fresh }: Session, { prompt = '', task }: Partial<CheckRequest>) {
    const { gatherOptions } = await import('../loop/gather-options.ts')
    const at = Date.now()
    const { baselineId, skipped = [] } = fresh ? {} : state
    const { accepted } = state
    return {
      ...gatherOptions({ workspace, stateDir, config, prompt, at, task }),
      ...(baselineId === undefined ? {} : { baselineId }),
      skipped,
      accepted,
      slowest: state.slowest,
    }
  }
}

export interface LibraryPlace {
  readonly workspace: string
  readonly stateDir: string
  readonly loaded: Loaded
}

/** Options count like flags: they come from the user and may change when a run continues. */
export function libraryPlace({ dir = '.', stateDir, ...project }: GateOptions): LibraryPlace {
  const { config, sources } = mergeProject(project, () => 'flag of the library')
  const workspace = workspaceAt(dir)
  const place = { env: process.env, home: homedir(), platform: process.platform }
  const chosen = stateDir === undefined ? {} : { stateDir: resolve(stateDir) }
  return {
    workspace,
    stateDir: stateDirFor(workspace, { ...place, ...chosen }).dir,
    loaded: { config, preset: presetOf(config), sources, hash: fingerprint(config), warnings: [] },
  }
}

function workspaceAt(dir: string): string {
  try {
    return realpathSync.native(resolve(dir))
  } catch {
    throw new TypeError(`dir must be a folder, not ${JSON.stringify(dir)}. Pass the folder of the project.`)
  }
}
