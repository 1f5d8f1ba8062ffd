import { delimiter } from 'node:path'
import { awake } from '../../system/awake-clock.ts'
import type { Environment } from '../../system/environment.ts'
import type { TestRun } from '../../test-output/types.ts'
import { isInside } from '../baseline/inside.ts'
import { scrubbed } from '../scrub-environment.ts'
import type { Detected, TestResult, Workspace } from '../types.ts'
import { openWorkspace } from '../workspace.ts'
import type { RunWithout } from './judge.ts'
import type { RevertedFile } from './plan.ts'
import { makeScratch, type Scratch, type ScratchOptions } from './scratch.ts'

/** Prints where the interpreter looks for modules, including editable installs. */
const PRINT_MODULE_PATHS = `
import json, os, sys
places = [place for place in sys.path if place]
for finder in sys.meta_path:
    module = sys.modules.get(getattr(finder, '__module__', None) or '')
    mapping = getattr(module, 'MAPPING', None)
    if isinstance(mapping, dict):
        places += [os.path.dirname(place) for place in mapping.values() if isinstance(place, str)]
print(json.dumps(places))
`
const DEADLINE_MS = 20_000

/**
 * Python finds an editable install (`pip install -e`) by its original path. The same paths in the copy must come first. Undefined
 * if there are none.
 */
async function pythonPath(
  copy: Workspace,
  top: { readonly from: string; readonly to: string },
  cwd: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const interpreters = '.venv/bin/python venv/bin/python env/bin/python python3 python'.split(' ')
  const near = cwd === '' ? [''] : [`${cwd}/`, '']
  const modulePaths = new Set<string>()
  for (const name of interpreters) {
    for (const folder of name.includes('/') ? near : ['']) {
      const command = name.includes('/') ? `${copy.dir}/${folder}${name}` : name
      const ran = await copy.run([command, '-c', PRINT_MODULE_PATHS], {
        deadlineMs: DEADLINE_MS,
        ...(signal && { signal }),
      })
      for (const place of pathsIn(ran.output)) modulePaths.add(place)
    }
  }
  const own = [...modulePaths].filter(
    (place) => isInside(place, top.from) && !/[\\/](?:site|dist)-packages(?:[\\/]|$)/.test(place),
  )
  const moved = own
    .filter((place) => !/[\\/]lib[\\/]python[\d.]+|\.zip$/.test(place))
    .map((place) => top.to + place.slice(top.from.length))
  return moved.length === 0 ? undefined : moved.join(delimiter)
}

function pathsIn(output: string): readonly string[] {
  try {
    const places: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '')
    return Array.isArray(places) ? places.filter((place): place is string => typeof place === 'string') : []
  } catch {
    return []
  }
}

/** Runs one test command in a workspace. */
export type RunTestCommand = (
  workspace: Workspace,
  detected: Detected,
  options: { readonly deadlineMs: number; readonly signal?: AbortSignal },
) => Promise<TestResult>

export interface CopyRun {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  readonly revert: readonly RevertedFile[]
  readonly deadlineMs: number
  readonly signal?: AbortSignal
  readonly env?: Environment
  readonly allow?: readonly string[]
  readonly scratch?: ScratchOptions
}

/** Runs the tests in a copy of the tree in which some files have their old content. */
export async function runInCopy(workspace: Workspace, options: CopyRun): Promise<RunWithout> {
  const until = awake.now() + options.deadlineMs
  const scratch = await makeScratch(workspace, options.scratch)
  try {
    for (const { path, text } of options.revert) scratch.put(path, text)
    const results: TestResult[] = []
    for (const { command, ...each } of options.commands) {
      const detected = { ...each, command: withCopyPath(command, scratch.top.from, scratch.top.to) }
      const copy = await openCopy(scratch, workspace, detected, options)
      const deadlineMs = until - awake.now()
      if (deadlineMs <= 0) return { run: undefined, output: '', stopped: 'time ran out' }
      const { signal } = options
      results.push(await options.run(copy, detected, { deadlineMs, ...(signal && { signal }) }))
    }
    return combined(results)
  } finally {
    // A failed removal must not affect the result. The next sweep tries again.
    await scratch.remove().catch(() => {})
  }
}

/** The workspace of the copy: its commands look for modules there and install nothing. */
async function openCopy(
  scratch: Scratch,
  { dir, sandbox: setup }: Workspace,
  detected: Detected,
  options: CopyRun,
): Promise<Workspace> {
  const { env = process.env, allow = [], signal } = options
  const moved = movedEnvironment(env, allow, scratch.top)
  // The copy shares the dependencies of the project, which it may only read.
  const sandbox = setup && { ...setup, workspace: scratch.top.to, read: [...setup.read, dir, scratch.top.from] }
  const plain = openWorkspace(scratch.dir, { env: { ...env, ...moved }, allow, sandbox })
  const python = options.revert.some(({ path }) => path.endsWith('.py'))
  const modules = python ? await pythonPath(plain, scratch.top, detected.cwd, signal) : undefined
  const path = [modules, moved.PYTHONPATH ?? env.PYTHONPATH].filter((part) => part !== undefined && part !== '')
  const addRuns: Record<string, string> = {
    // Tools that update dependencies before they run would change the shared ones.
    UV_NO_SYNC: '1',
    npm_config_verify_deps_before_run: 'false',
    ...(python && { PYTHONDONTWRITEBYTECODE: '1' }),
    ...(modules !== undefined && { PYTHONPATH: path.join(delimiter) }),
  }
  return {
    ...plain,
    run: (command, { env: own = {}, ...rest }) => {
      // One file that can't be loaded must not stop the others.
      const addopts = [own.PYTEST_ADDOPTS, '--continue-on-collection-errors'].filter((part) => part !== undefined)
      return plain.run(command, { ...rest, env: { ...addRuns, ...own, PYTEST_ADDOPTS: addopts.join(' ') } })
    },
  }
}

function combined(results: readonly TestResult[]): RunWithout {
  const stopped = results.map(whyStopped).find((why) => why !== undefined)
  const runs = results.flatMap(({ run }) => (run === undefined ? [] : [run]))
  // If the report is a file, only its problems show why a suite did not load.
  const outputs = results.flatMap(({ ran, run }) => [ran.output, ...(run?.problems ?? [])])
  const output = outputs.join('\n')
  const [first, ...rest] = runs
  const run = first === undefined ? undefined : rest.reduce(added, first)
  return { run, output, ...(stopped !== undefined && { stopped }) }
}

function whyStopped({ ran }: TestResult): string | undefined {
  if (ran.ended === 'deadline') return 'the tests did not finish in time without the changes'
  if (ran.ended === 'aborted') return 'the run was interrupted'
  if (ran.ended === 'not-started') return `the tests could not be started: ${ran.problem ?? 'unknown reason'}`
  if (ran.code === null) return 'the test command was killed by a signal'
  return ran.code === 126 || ran.code === 127 ? 'the test command was not found or is not executable' : undefined
}

/** Combines two reports. */
export function added(a: TestRun, b: TestRun): TestRun {
  const problems = [...(a.problems ?? []), ...(b.problems ?? [])]
  const suitesFailed = (a.suitesFailed ?? 0) + (b.suitesFailed ?? 0)
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    total: a.total + b.total,
    ok: a.ok === false || b.ok === false ? false : a.ok === true && b.ok === true ? true : null,
    framework: a.framework === b.framework ? a.framework : `${a.framework}, ${b.framework}`,
    tests: [...(a.tests ?? []), ...(b.tests ?? [])],
    ...(suitesFailed > 0 && { suitesFailed }),
    ...(problems.length > 0 && { problems }),
  }
}

/** Environment variables that contain the original path, with the copy's path instead. */
export function movedEnvironment(
  env: Environment,
  allow: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Record<string, string> {
  const moved = Object.entries(scrubbed(env, allow)).map(
    ([name, value]) => [name, withCopyPath(value, from, to)] as const,
  )
  return Object.fromEntries(moved.filter(([name, value]) => value !== env[name]))
}

/** `/a/b` is part of `/a/b/c` and `/a/b:/d`, but not of `/a/bc`. */
function withCopyPath(value: string, from: string, to: string): string {
  const parts = value.split(from)
  const last = parts.length - 1
  return parts.map((part, i) => part + (i === last ? '' : /^[^/\\:;,"'\s]/.test(parts[i + 1]!) ? from : to)).join('')
}
