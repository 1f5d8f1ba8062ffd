import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Loaded, loadConfig } from '../../config/load.ts'
import type { Config } from '../../core/config.ts'
import { PRESETS } from '../../core/presets/index.ts'
import { detect, preferred } from '../../evidence/detect/index.ts'
import type { Detected, Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { readJournal } from '../../journal/read.ts'
import { withFoundPlan } from '../../loop/found-plan.ts'
import { preflight } from '../../loop/preflight/index.ts'
import type { Diagnosis, DoctorCommand, Looked } from '../../reports/doctor-text.ts'
import { askGit } from '../../system/git.ts'
import type { Io } from '../io.ts'
import { placeOf } from '../place.ts'
import { promptOf } from '../run/prompt-of.ts'
import { askCodex } from './ask-codex.ts'
import { lookAtCommand } from './look-at-command.ts'
import { oldClaude } from './old-claude.ts'
import { findHooks, proveHooks } from './prove-hooks.ts'
import { proveRed } from './prove-red.ts'
import { proveSandbox } from './prove-sandbox.ts'
import { unprotected } from './unprotected.ts'

export interface DiagnoseOptions {
  readonly dir: string
  readonly config?: string | undefined
  readonly stateDir?: string | undefined
  /** Only look: run neither hooks nor commands. */
  readonly quick?: boolean | undefined
  readonly signal: AbortSignal
  /** Reports what is being tried. */
  progress(what: string): void
}

const LEAST_NODE = [20, 19] as const
const SET_ONE = 'Pass --test "..." or set commands.test in exitgate.config.json.'

/** Checks everything that gathering evidence needs, on copies. Changes nothing. */
export async function diagnose(options: DiagnoseOptions, io: Io): Promise<Diagnosis> {
  const { loaded, looked } = await configuration(options, io)
  const config = loaded?.config
  const workspace = openWorkspace(options.dir, { env: io.env, allow: config?.evidence.passEnv ?? [] })
  const found = await detect(workspace, { commands: config?.commands ?? {}, platform: io.platform })
  const asked = await Promise.all(found.map((each) => lookAtCommand(workspace, each, io, config)))
  const tests = preferred(found, 'test')
  const looks = tests.map((each) => asked[found.indexOf(each)]!)
  const shut = config === undefined ? [] : [await proveSandbox(config, options.quick === true, options.signal)]
  const about = loaded === undefined ? [] : ofTheRun(workspace, loaded, tests, options, io)
  const things = [node(), ...(await git(options.dir, io)), state(options, io), looked, ...about, ...shut]
  const ready = looks.some((test) => test.state !== 'bad') && things.every((thing) => thing.state !== 'bad')
  const first = things.find((thing) => thing.state === 'bad') ?? looks.find((test) => test.state === 'bad')
  const named = found.filter(({ kind: what }) => what !== 'test' && config?.commands[what] !== undefined)
  const commands = options.quick
    ? asked
    : await proven(workspace, [...tests, ...named], found, asked, config, options, io)
  const { hooks, problems } = await findHooks(options.dir, io)
  if (hooks.length > 0 && !options.quick) options.progress('Trying the hooks on a small project')
  const tried = options.quick
    ? []
    : [...(await proveHooks(hooks, io, options.signal)), ...(await askCodex(options.dir, hooks, io, options.signal))]
  const around = {
    dir: options.dir,
    stateDir: options.stateDir,
    hooks,
    tested: tests.length > 0,
    versioned: things.every(({ name, state }) => !(name === 'git' || name === 'folder') || state === 'good'),
  }
  const open = [...problems, ...oldClaude(options.dir, io), ...(await unprotected(around, io))]
  const bad = [...commands.flatMap(({ red }) => (red === undefined ? [] : [red])), ...tried, ...open].find(
    (each) => each.state === 'bad',
  )
  const remedy = ready ? bad?.remedy : (first?.remedy ?? `No test command found. ${SET_ONE}`)
  const rest = { things, commands, hooks: tried, unprotected: open, ...(remedy !== undefined && { remedy }) }
  return { ok: ready && bad === undefined, ready, ...rest }
}

/** Listed with more detail elsewhere. */
const SHOWN_ELSEWHERE = new Set(['tests', 'sandbox'])

/** What `run` shows before its first iteration. */
function ofTheRun(
  workspace: Workspace,
  chosen: Loaded,
  tests: readonly Detected[],
  { stateDir }: DiagnoseOptions,
  io: Io,
): readonly Looked[] {
  const { loaded, search } = withFoundPlan(chosen, workspace.dir, [promptText(workspace.dir, io.cwd, chosen)])
  const { dir } = placeOf(workspace.dir, stateDir, io)
  const { state } = readJournal(dir)
  const { env, platform } = io
  const facts = preflight({ workspace, stateDir: dir, state, loaded, search, tests, env, platform, now: io.now() })
  return facts.filter(({ name }) => !SHOWN_ELSEWHERE.has(name))
}

function promptText(dir: string, cwd: string, loaded: Loaded): string {
  try {
    return promptOf(dir, cwd, loaded, true)
  } catch {
    // `run` says what is wrong with the prompt.
    return ''
  }
}

/** Tests that each command used as evidence can fail. */
async function proven(
  workspace: Workspace,
  evidence: readonly Detected[],
  found: readonly Detected[],
  asked: readonly DoctorCommand[],
  config: Config | undefined,
  { signal, progress }: DiagnoseOptions,
  { env }: Io,
): Promise<readonly DoctorCommand[]> {
  const all = [...asked]
  for (const each of evidence) {
    const at = found.indexOf(each)
    const before = all[at]
    if (before === undefined || before.state === 'bad' || signal.aborted) continue
    progress(`Running ${each.command} in a copy`)
    all[at] = { ...before, red: await proveRed(workspace, each, { env, config, signal }) }
  }
  return all
}

function node(): Looked {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const good = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
  const text = process.versions.node
  return good
    ? { name: 'node', state: 'good', text }
    : { name: 'node', state: 'bad', text, remedy: `Install Node ${LEAST_NODE.join('.')} or newer.` }
}

async function git(dir: string, { env }: Io): Promise<readonly Looked[]> {
  const version = await askGit(dir, ['version'], env)
  if (version.problem !== undefined) {
    const remedy = 'Install git for diffs and checkpoints. Without it, exitgate compares the files by itself.'
    return [
      { name: 'git', state: 'note', text: 'not installed', remedy },
      { name: 'folder', state: 'note', text: dir },
    ]
  }
  const own: Looked = { name: 'git', state: 'good', text: version.out.replace(/^git version /, '').trim() }
  const asked = ['rev-parse', '--show-toplevel', '--git-dir', '--git-common-dir', '--show-superproject-working-tree']
  const place = await askGit(dir, asked, env)
  if (place.problem === undefined)
    return [own, { name: 'folder', state: 'good', text: `${dir}: ${kind(dir, place.out)}` }]
  const outside = place.problem.startsWith('This is not')
  const remedy = outside
    ? 'Run git init for diffs and checkpoints. Without a repository, exitgate compares the files by itself.'
    : `${place.problem} Often this helps: git config --global --add safe.directory "${dir}"`
  return [
    own,
    {
      name: 'folder',
      state: 'note',
      text: `${dir}: ${outside ? 'not a git repository' : 'git refuses to read it'}`,
      remedy,
    },
  ]
}

function kind(dir: string, out: string): string {
  const [top = '', own = '', common = '', outer = ''] = out.split('\n')
  const apart = resolve(dir, own) !== resolve(dir, common)
  const what = outer !== '' ? 'a submodule' : apart ? 'a worktree of a git repository' : 'a git repository'
  return top === dir ? what : `a folder in ${what} at ${top}`
}

/** If the folder doesn't exist yet, the nearest one above it must be writable. */
function state({ dir, stateDir }: DiagnoseOptions, io: Io): Looked {
  try {
    const place = placeOf(dir, stateDir, io)
    let nearest = place.dir
    while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
    accessSync(nearest, constants.W_OK)
    const remedy = place.warning === undefined ? {} : { remedy: `Note: ${place.warning}` }
    return { name: 'state', state: place.warning === undefined ? 'good' : 'note', text: place.dir, ...remedy }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { name: 'state', state: 'bad', text, remedy: 'Pass a writable folder with --state-dir DIR.' }
  }
}

async function configuration(
  { dir, config: file }: DiagnoseOptions,
  io: Io,
): Promise<{ loaded?: Loaded; looked: Looked }> {
  const name = 'configuration'
  try {
    const loaded = await loadConfig({ dir, file, env: io.env, flags: {}, presets: PRESETS, allowCode: true })
    const text = `${loaded.file ?? 'no file, so defaults'}; preset ${loaded.preset.name}`
    const remedy = loaded.warnings.length === 0 ? {} : { remedy: loaded.warnings.join(' ') }
    return {
      loaded,
      looked: { name, state: loaded.warnings.length === 0 ? 'good' : 'note', text, ...remedy },
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return {
      looked: { name, state: 'bad', text, remedy: 'Fix the configuration. `exitgate config` lists every value.' },
    }
  }
}
