import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Loaded, loadConfig } from '../../config/load.ts'
import type { Config } from '../../core/config.ts'
import { PRESETS } from '../../core/presets/index.ts'
import { detect, preferred } from '../../evidence/detect/index.ts'
import type { Detected, Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { journalError } from '../../journal/errors.ts'
import type { StatePlace } from '../../journal/place.ts'
import { readJournal } from '../../journal/read.ts'
import { withFoundPlan } from '../../loop/found-plan.ts'
import { preflight } from '../../loop/preflight/index.ts'
import type { Diagnosis, DoctorCommand, Looked } from '../../reports/doctor-text.ts'
import { settingIn } from '../../reports/live/next-steps.ts'
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
  const { place, state } = stateHere(options, io)
  const about = loaded && place ? ofTheRun(workspace, loaded, tests, place.dir, io) : []
  const things = [node(), ...(await git(options.dir, io)), ...writable(options), state, looked, ...about, ...shut]
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
    place,
    hooks,
    tested: tests.length > 0,
    versioned: things.every(({ name, state }) => !(name === 'git' || name === 'folder') || state === 'good'),
  }
  const open = [...problems, ...oldClaude(options.dir, io), ...(await unprotected(around, io))]
  const bad = [...commands.flatMap(({ red }) => (red === undefined ? [] : [red])), ...tried, ...open].find(
    (each) => each.state === 'bad',
  )
  const remedy = ready
    ? bad?.remedy
    : (first?.remedy ?? `No test command found. Pass --test "..." or set ${settingIn('commands.test', loaded?.file)}.`)
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
  stateDir: string,
  io: Io,
): readonly Looked[] {
  const { state } = readJournal(stateDir)
  const { env, platform } = io
  try {
    const text = promptOf(workspace.dir, io.cwd, chosen, true)
    const { loaded, search } = withFoundPlan(chosen, workspace.dir, [text])
    const facts = preflight({ workspace, stateDir, state, loaded, search, tests, env, platform, now: io.now() })
    return facts.filter(({ name }) => !SHOWN_ELSEWHERE.has(name))
  } catch (error) {
    return [refused('task', 'exitgate run refuses to start', error)]
  }
}

/** The error of a command says what is wrong and what to do. */
function refused(name: string, text: string, error: unknown): Looked {
  return { name, state: 'bad', text, remedy: error instanceof Error ? error.message : String(error) }
}

function writable({ dir }: DiagnoseOptions): readonly Looked[] {
  try {
    accessSync(dir, constants.W_OK)
    return []
  } catch {
    const text = `you can't write to ${dir}, and neither can an agent that you start`
    return [{ name: 'project', state: 'bad', text, remedy: 'Change its permissions, or use a copy of it.' }]
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
  const text = `${dir}: ${outside ? 'not a git repository' : 'git refuses to read it'}`
  return [own, { name: 'folder', state: 'note', text, remedy }]
}

function kind(dir: string, out: string): string {
  const [top = '', own = '', common = '', outer = ''] = out.split('\n')
  const apart = resolve(dir, own) !== resolve(dir, common)
  const what = outer !== '' ? 'a submodule' : apart ? 'a worktree of a git repository' : 'a git repository'
  return top === dir ? what : `a folder in ${what} at ${top}`
}

function stateHere({ dir, stateDir }: DiagnoseOptions, io: Io): { state: Looked; place?: StatePlace } {
  try {
    const place = placeOf(dir, stateDir, io)
    const made = [place.dir, dirname(place.dir)].find((each) => existsSync(each))
    if (made !== undefined) accessSync(made, constants.W_OK)
    const look = { name: 'state', text: place.dir }
    if (place.warning === undefined) return { place, state: { ...look, state: 'good' } }
    return { place, state: { ...look, state: 'note', remedy: `Note: ${place.warning}` } }
  } catch (error) {
    const { path = dir } = error as NodeJS.ErrnoException
    return { state: refused('state', 'the journal has no place', journalError('open the journal', path, error)) }
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
    const remedy = loaded.warnings.join(' ')
    return { loaded, looked: remedy === '' ? { name, state: 'good', text } : { name, state: 'note', text, remedy } }
  } catch (error) {
    const remedy = 'Fix the configuration. `exitgate config` lists every value.'
    return { looked: { name, state: 'bad', text: error instanceof Error ? error.message : String(error), remedy } }
  }
}
