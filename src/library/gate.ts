import { mkdtempSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { ConfigError, shown } from '../config/errors.ts'
import { fingerprint } from '../config/fingerprint.ts'
import { mergeProject, type ProjectConfig } from '../config/project-config.ts'
import type { State } from '../core/journal/events.ts'
import type { OwnCheck } from '../core/own-parts.ts'
import { observation } from '../core/policy/look.ts'
import { presetOf } from '../core/presets/index.ts'
import { readSignals } from '../core/signals/read-signals.ts'
import { readWithPatterns } from '../core/signals/user-patterns.ts'
import type { Verdict } from '../core/types.ts'
import type { GatherOptions } from '../evidence/gather.ts'
import { memoryJournal } from '../journal/decide-and-record.ts'
import { stateDirFor } from '../journal/place.ts'
import type { Place } from '../loop/reference.ts'
import type { Session } from '../loop/session.ts'
import { removeFolder, removeFolderSync } from '../system/remove-folder.ts'
import { type AgentOutput, createDecider, type DecideInput, readOptions, transcriptOf } from './decider.ts'

/** The project folder and any key of a configuration file. No configuration file and no environment variable is read. */
export interface LibraryOptions extends ProjectConfig {
  /** The project folder. Default: the current folder. */
  readonly dir?: string
  /** Where journals are stored. Default: the user's state folder. */
  readonly stateDir?: string
}

export interface GateOptions extends LibraryOptions {
  /**
   * Where baseline, counters and decisions are kept. `memory` (default): in this gate only. `folder`: in `stateDir` or the user's state
   * folder, so that a later program continues an unfinished run.
   */
  readonly state?: 'memory' | 'folder'
  /** With `state: 'folder'`: start a new run, also if an earlier program left one unfinished. */
  readonly fresh?: boolean
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
  /** Records the tests and files before the agent starts. Without it, exitgate compares with the last commit. */
  begin(): Promise<void>
  /** Whether `begin` was called. */
  readonly begun: boolean
  /** Reads the agent's output, runs the checks, decides, and records the decision. */
  check(request: CheckRequest): Promise<Verdict>
  /** Decides based on evidence you pass in. Runs and writes nothing. Counters carry over between calls. */
  decide(input: DecideInput<Own>): Verdict
  /** The verdict of the last `check` or `decide`. */
  readonly last: Verdict | undefined
  /** The state that decisions depend on: the current run, its counters and its findings. */
  state(): Promise<State>
  /** Removes the files of a gate that keeps its state in memory. Otherwise they go when the program ends. */
  close(): Promise<void>
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
  const { state: kept, fresh = false, ...library }: GateOptions = options
  const memory =
    (kept ?? (options.stateDir === undefined ? 'memory' : 'folder')) === 'memory' ? memoryJournal() : undefined
  if (kept !== undefined && !['memory', 'folder'].includes(kept))
    throw new ConfigError(`state is ${shown(kept)}. It must be "memory" or "folder".`)
  const { loaded, workspace, stateDir } = libraryPlace(library)
  const { config } = loaded
  const own = [...(options.checks ?? []).map(({ name }) => name), ...Object.keys(config.commands)]
  const decider = createDecider<OwnNames<Options>>(config, { own, read: readWithPatterns })
  let place: string | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let begun = false
  let continues = false
  let last: Verdict | undefined
  return {
    get last() {
      return last
    },
    get begun() {
      return begun
    },
    async state() {
      const { readJournal } = await import('../journal/read.ts')
      return memory?.state ?? readJournal(stateDir).state
    },
    decide(input) {
      last = decider.decide(input)
      return last
    },
    async begin() {
      await inSession({}, async (session, _about, input) => {
        if (session.fresh) {
          const { takeStart } = await import('../loop/reference.ts')
          const taken = await takeStart({ ...input, claim: false })
          session.begin(taken.evidence, taken.baselineId)
        }
        begun = true
      })
    },
    async check(request) {
      last = await inSession(request, async (session, about, input) => {
        const transcript = transcriptOf(request)
        const signals = await readSignals(transcript, readOptions(session.policy, request))
        const { gather } = await import('../evidence/gather.ts')
        const { keepVerified, referenceOfCheck } = await import('../loop/reference.ts')
        const { reference, pinned } = await referenceOfCheck(about, session)
        if (pinned !== undefined) session.pin(pinned)
        const said = transcript.final
        const { evidence } = await gather({ ...input, said, reference, claim: signals.claim === true })
        const { ms = 0, tokens = 0, usd = 0 } = transcript.usage
        const task = request.task === undefined ? {} : { task: request.task }
        const decided = session.decide(observation(signals, evidence, { spent: { ms, tokens, usd }, ...task }))
        await keepVerified({ ...about, said }, session, { verdict: decided.verdict, evidence }, Date.now())
        const { writeReadableCopy } = await import('../journal/readable-copy.ts')
        if (memory === undefined) writeReadableCopy(workspace, session.state)
        return decided.verdict
      })
      return last
    },
    async close() {
      await turn
      if (memory !== undefined && place !== undefined) await removeFolder(place)
      place = undefined
    },
  }

  /** One call at a time. A journal in a folder also waits for other programs. */
  function inSession<T>({ task, prompt = '' }: Partial<CheckRequest>, work: Work<T>): Promise<T> {
    const mine = turn.then(async () => {
      const { openSession } = await import('../loop/session.ts')
      const { gatherOptions } = await import('../loop/gather-options.ts')
      place ??= memory === undefined ? stateDir : await folderUntilExit()
      const session = await openSession({
        ...{ dir: place, loaded, now: Date.now, newRun: fresh && !continues },
        ...(memory === undefined ? {} : { journal: memory }),
        ...(task === undefined ? {} : { task }),
      })
      try {
        const about = { workspace, stateDir: place, config: session.config }
        const { baselineId, skipped = [] } = session.fresh ? {} : session.state
        const { accepted, slowest } = session.state
        const input = { ...gatherOptions({ ...about, prompt, task, at: Date.now() }), skipped, accepted, slowest }
        const done = await work(session, about, { ...input, baselineId })
        continues = true
        return done
      } finally {
        session.close()
      }
    })
    turn = mine.catch(() => {})
    return mine
  }
}

type Work<T> = (session: Session, about: Place, input: Omit<GatherOptions, 'claim'>) => Promise<T>

let privateFolder: string | undefined

/** Where a gate that keeps its state in memory stores the files of the baseline. A sandbox hides the folder above it. */
async function folderUntilExit(): Promise<string> {
  const { makeTemporaryFolder } = await import('../system/temporary-folder.ts')
  if (privateFolder === undefined) {
    const made = makeTemporaryFolder('scratch')
    process.once('exit', () => removeFolderSync(made))
    privateFolder = made
    const { sweep } = await import('../evidence/clean-room/room-places.ts')
    await sweep(join(made, 'state'))
  }
  return mkdtempSync(join(privateFolder, 'state-'))
}

/** Options count like flags: they come from the user and may change when a run continues. Code may not. */
export function libraryPlace({ dir = '.', stateDir, ...project }: LibraryOptions) {
  const { config, sources } = mergeProject(project, () => 'flag of the library')
  const workspace = workspaceAt(dir)
  const place = { env: process.env, home: homedir(), platform: process.platform }
  const chosen = stateDir === undefined ? {} : { stateDir: resolve(stateDir) }
  return {
    workspace,
    stateDir: stateDirFor(workspace, { ...place, ...chosen }).dir,
    loaded: {
      ...{ config, preset: presetOf(config), hash: fingerprint(config), warnings: [] },
      sources: new Map(sources).set('extensions', 'code of the program'),
    },
  }
}

function workspaceAt(dir: string): string {
  try {
    return realpathSync.native(resolve(dir))
  } catch {
    throw new TypeError(`dir must be a folder, not ${JSON.stringify(dir)}. Pass the folder of the project.`)
  }
}
