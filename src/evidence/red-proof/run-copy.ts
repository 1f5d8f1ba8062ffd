import { delimiter } from 'node:path'
import type { PutFile, Ran } from '../../../packages/exitgate/src/checks/trees.ts'
import { awake } from '../../system/awake-clock.ts'
import type { Environment } from '../../system/environment.ts'
import { movedEnvironment, pythonPath, withCopyPath } from '../clean-room/moved-paths.ts'
import { mergeRuns } from '../test-results/round.ts'
import type { CheckContext, Detected, RunOptions, TestResult, Workspace } from '../types.ts'
import { openWorkspace } from '../workspace.ts'
import { makeScratch, type Scratch, type ScratchOptions } from './scratch.ts'

/** Runs one test command in a workspace. */
export type RunTestCommand = (
  workspace: Workspace,
  detected: Detected,
  options: Pick<RunOptions, 'as' | 'deadlineMs' | 'signal'>,
) => Promise<TestResult>

export interface CopyRun {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  readonly revert: readonly PutFile[]
  readonly deadlineMs: number
  readonly signal?: AbortSignal
  readonly env?: Environment
  readonly allow?: readonly string[]
  readonly scratch?: ScratchOptions
  /** In a clean room, nothing in the environment shows that this is not an ordinary run. */
  readonly unnoticed?: true
  /** Opens a clean room, which is used instead of a scratch copy. */
  readonly openRoom?: CheckContext['openRoom']
  /** For people: what the run is for. */
  readonly why?: string
}

type PlaceOptions = Omit<CopyRun, 'commands' | 'deadlineMs'>

/** Runs the tests in a copy of the tree in which some files have their old content. */
export async function runInCopy(workspace: Workspace, options: CopyRun): Promise<Ran> {
  const until = awake.now() + options.deadlineMs
  return withCopy(workspace, options, async (copy) => {
    for (const { path, text } of options.revert) copy.put(path, text)
    return copy.runTests(options.commands, until - awake.now())
  })
}

/** A private copy that lasts for several runs. */
export interface TestCopy {
  readonly put: Scratch['put']
  runTests(commands: readonly Detected[], deadlineMs: number): Promise<Ran>
  /** The copy as this command sees it. */
  workspaceOf(command: Detected): Promise<Workspace>
}

/** Makes a copy, hands it to `use` and removes it. `revert` only names the files that will change. */
export async function withCopy<T>(
  workspace: Workspace,
  options: PlaceOptions,
  use: (copy: TestCopy) => Promise<T>,
): Promise<T> {
  const place = await placeFor(workspace, options)
  const runTests: TestCopy['runTests'] = async (commands, deadlineMs) => {
    const until = awake.now() + deadlineMs
    const results: TestResult[] = []
    for (const given of commands) {
      const { copy, detected } = await place.open(given)
      const leftMs = until - awake.now()
      if (leftMs <= 0) return { run: undefined, output: '', stopped: 'time ran out', late: true }
      const { signal, why } = options
      results.push(
        await options.run(copy, detected, {
          as: { ...COPY, ...(why && { why }) },
          deadlineMs: leftMs,
          ...(signal && { signal }),
        }),
      )
    }
    return combined(results)
  }
  try {
    const workspaceOf: TestCopy['workspaceOf'] = async (command) => (await place.open(command)).copy
    return await use({ put: place.put, runTests, workspaceOf })
  } finally {
    // A failed removal must not affect the result. The next sweep tries again.
    await place.remove().catch(() => {})
  }
}

/** What the tests prove is not told before they have run. */
const COPY = { check: 'proof' }

/** Where the tests run. */
interface Place {
  readonly put: Scratch['put']
  readonly remove: Scratch['remove']
  open(detected: Detected): Promise<{ readonly copy: Workspace; readonly detected: Detected }>
}

async function placeFor(workspace: Workspace, options: PlaceOptions): Promise<Place> {
  if (options.openRoom !== undefined) {
    const room = await options.openRoom()
    const copy = options.unnoticed
      ? room.workspace
      : withSettings(room.workspace, options.revert.some(isPython) ? NO_BYTECODE : {})
    return { put: room.put, remove: room.remove, open: async (detected) => ({ copy, detected }) }
  }
  const scratch = await makeScratch(workspace, options.scratch)
  const { put, remove, top } = scratch
  return {
    put,
    remove,
    async open(given) {
      const detected = { ...given, command: withCopyPath(given.command, top.from, top.to) }
      return { copy: await openCopy(scratch, workspace, detected, options), detected }
    },
  }
}

const isPython = ({ path }: PutFile) => path.endsWith('.py')
const NO_BYTECODE = { PYTHONDONTWRITEBYTECODE: '1' }

/** The workspace of the copy: its commands look for modules there and install nothing. */
async function openCopy(
  scratch: Scratch,
  { dir, sandbox: setup, onCommand }: Workspace,
  detected: Detected,
  options: PlaceOptions,
): Promise<Workspace> {
  const { env = process.env, allow = [], signal } = options
  const moved = movedEnvironment(env, allow, scratch.top)
  // The copy shares the dependencies of the project, which it may only read.
  const sandbox = setup && { ...setup, workspace: scratch.top.to, read: [...setup.read, dir, scratch.top.from] }
  const plain = openWorkspace(scratch.dir, { env: { ...env, ...moved }, allow, sandbox, onCommand })
  const python = options.revert.some(isPython)
  const modules = python ? await pythonPath(plain, scratch.top, detected.cwd, signal) : undefined
  const path = [modules, moved.PYTHONPATH ?? env.PYTHONPATH].filter((part) => part !== undefined && part !== '')
  const addRuns: Record<string, string> = {
    // Tools that update dependencies before they run would change the shared ones.
    UV_NO_SYNC: '1',
    npm_config_verify_deps_before_run: 'false',
    ...(python && NO_BYTECODE),
    ...(modules !== undefined && { PYTHONPATH: path.join(delimiter) }),
  }
  return withSettings(plain, addRuns)
}

function withSettings(plain: Workspace, settings: Readonly<Record<string, string>>): Workspace {
  return {
    ...plain,
    run: (command, { env: own = {}, ...rest }) => {
      // One file that can't be loaded must not stop the others.
      const addopts = [own.PYTEST_ADDOPTS, '--continue-on-collection-errors'].filter((part) => part !== undefined)
      return plain.run(command, { ...rest, env: { ...settings, ...own, PYTEST_ADDOPTS: addopts.join(' ') } })
    },
  }
}

/** The results of several commands, as one. */
export function combined(results: readonly TestResult[]): Ran {
  const stopped = results.map(whyStopped).find((why) => why !== undefined)
  const runs = results.flatMap(({ run }) => (run === undefined ? [] : [run]))
  // If the report is a file, only its problems show why a suite did not load.
  const outputs = results.flatMap(({ ran, run }) => [ran.output, ...(run?.problems ?? [])])
  const output = outputs.join('\n')
  const run = runs.length === 0 ? undefined : mergeRuns(runs)
  const isLate = results.some(({ ran }) => ran.ended === 'deadline')
  return { run, output, ...(stopped !== undefined && { stopped }), ...(isLate && { late: true }) }
}

function whyStopped({ ran }: TestResult): string | undefined {
  if (ran.ended === 'deadline') return 'the tests did not finish in time without the changes'
  if (ran.ended === 'aborted') return 'the run was interrupted'
  if (ran.ended === 'not-started') return `the tests could not be started: ${ran.problem ?? 'unknown reason'}`
  if (ran.code === null) return 'the test command was killed by a signal'
  return ran.code === 126 || ran.code === 127 ? 'the test command was not found or is not executable' : undefined
}
