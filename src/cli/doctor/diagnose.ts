import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../core/config.ts'
import { PRESETS } from '../../core/presets/index.ts'
import { detect, preferred } from '../../evidence/detect/index.ts'
import { injectReporter } from '../../evidence/runners/index.ts'
import { scrubbed } from '../../evidence/scrub-environment.ts'
import type { Detected, Workspace } from '../../evidence/types.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import type { Diagnosis, DoctorCommand, Looked } from '../../reports/doctor-text.ts'
import { findProgram, programsIn } from '../../system/find-program.ts'
import { askGit } from '../../system/git.ts'
import type { Io } from '../io.ts'
import { placeOf } from '../place.ts'
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
/** Shown for the report folder, which is new for every run. */
const REPORT_FOLDER = 'REPORTS'
const SET_ONE = 'Pass --test "..." or set commands.test in exitgate.config.json.'

/** Checks everything that gathering evidence needs, on copies. Changes nothing. */
export async function diagnose(options: DiagnoseOptions, io: Io): Promise<Diagnosis> {
  const { config, looked } = await configuration(options, io)
  const workspace = openWorkspace(options.dir, { env: io.env, allow: config?.evidence.passEnv ?? [] })
  const found = await detect(workspace, { commands: config?.commands ?? {}, platform: io.platform })
  const asked = await Promise.all(found.map((each) => command(workspace, each, io, config)))
  const tests = preferred(found, 'test')
  const looks = tests.map((each) => asked[found.indexOf(each)]!)
  const shut = config === undefined ? [] : [await proveSandbox(config, options.quick === true, options.signal)]
  const things = [node(), ...(await git(options.dir, io)), state(options, io), looked, ...shut]
  const ready = looks.some((test) => test.state !== 'bad') && things.every((thing) => thing.state !== 'bad')
  const first = things.find((thing) => thing.state === 'bad') ?? looks.find((test) => test.state === 'bad')
  const named = found.filter(({ kind: what }) => what !== 'test' && config?.commands[what] !== undefined)
  const commands = options.quick
    ? asked
    : await proven(workspace, [...tests, ...named], found, asked, config, options, io)
  const { hooks, problems } = await findHooks(options.dir, io)
  if (hooks.length > 0 && !options.quick) options.progress('Trying the hooks on a small project')
  const tried = options.quick ? [] : await proveHooks(hooks, io, options.signal)
  const around = {
    dir: options.dir,
    stateDir: options.stateDir,
    hooks,
    tested: tests.length > 0,
    versioned: things.every(({ name, state }) => !(name === 'git' || name === 'folder') || state === 'good'),
  }
  const open = [...problems, ...(await unprotected(around, io))]
  const bad = [...commands.flatMap(({ red }) => (red === undefined ? [] : [red])), ...tried, ...open].find(
    (each) => each.state === 'bad',
  )
  const remedy = ready ? bad?.remedy : (first?.remedy ?? `No test command found. ${SET_ONE}`)
  const rest = { things, commands, hooks: tried, unprotected: open, ...(remedy !== undefined && { remedy }) }
  return { ok: ready && bad === undefined, ready, ...rest }
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
    const remedy = "Install git. Without it, exitgate can't see changes or weakened tests."
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
    ? "Run git init. Without a repository, exitgate can't see what changed."
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
): Promise<{ config?: Config; looked: Looked }> {
  const name = 'configuration'
  try {
    const loaded = await loadConfig({ dir, file, env: io.env, flags: {}, presets: PRESETS, allowCode: true })
    const text = `${loaded.file ?? 'no file, so defaults'}; preset ${loaded.preset.name}`
    const remedy = loaded.warnings.length === 0 ? {} : { remedy: loaded.warnings.join(' ') }
    return {
      config: loaded.config,
      looked: { name, state: loaded.warnings.length === 0 ? 'good' : 'note', text, ...remedy },
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return {
      looked: { name, state: 'bad', text, remedy: 'Fix the configuration. `exitgate config` lists every value.' },
    }
  }
}

async function command(
  workspace: Workspace,
  found: Detected,
  io: Io,
  config: Config | undefined,
): Promise<DoctorCommand> {
  const env = scrubbed(io.env, config?.evidence.passEnv)
  const folder = join(workspace.dir, found.cwd)
  const missing = programsIn(found.command).find((name) => findProgram(name, folder, env, io.platform) === undefined)
  const lacks = missing === undefined ? await lacking(workspace, found) : undefined
  const { kind: what, command: line, cwd, why, runner } = found
  const results = what === 'test' ? { results: resultsOf(workspace, found, io.env) } : {}
  const base = { kind: what, name: what, command: line, cwd, why, ...(runner !== undefined && { runner }), ...results }
  if (missing !== undefined) {
    return {
      ...base,
      state: 'bad',
      text: `${missing} not found`,
      remedy: `Install ${missing}, or set another command.`,
    }
  }
  return lacks === undefined ? { ...base, state: 'good', text: 'found' } : { ...base, ...lacks }
}

/** How the results of a test command are read: from a report of its runner, or from its output. */
function resultsOf(workspace: Workspace, found: Detected, env: Io['env']): string {
  if (found.runner === undefined) return 'unknown test runner: results are read from its output'
  const read = (path: string) => workspace.read(join(found.cwd, path))
  const injection = injectReporter(found, { folder: REPORT_FOLDER, read, env })
  if (injection === undefined) return `test runner ${found.runner}: results are read from its output`
  return `test runner ${found.runner}: results are read from a report (${injection.command})`
}

/** What the command needs apart from its program. */
async function lacking(
  workspace: Workspace,
  found: Detected,
): Promise<Pick<Looked, 'state' | 'text' | 'remedy'> | undefined> {
  const module = /^(\S*python[\d.]*(?:\.exe)?) -m (\w+)/.exec(found.command)
  if (module !== null) {
    const [, python, name] = module
    const script = `import importlib.util,sys; sys.exit(importlib.util.find_spec("${name}") is None)`
    const ran = await workspace.run([python!, '-c', script], { deadlineMs: 10_000, cwd: found.cwd })
    if (ran.code === 1) {
      return {
        state: 'bad',
        text: `${python} has no module ${name}`,
        remedy: `Install it: ${python} -m pip install ${name}`,
      }
    }
  }
  const manager = /^(npm|npx|pnpm|yarn|bunx?) /.exec(found.command)?.[1]?.replace('npx', 'npm').replace('bunx', 'bun')
  if (manager === undefined || hasModules(workspace, found.cwd)) return undefined
  return { state: 'note', text: 'no node_modules folder', remedy: `If it needs packages, run ${manager} install.` }
}

/** In the folder or above it, up to the top of the workspace or repository. Yarn may keep packages elsewhere. */
function hasModules(workspace: Workspace, cwd: string): boolean {
  const has = (folder: string) => ['node_modules', '.pnp.cjs'].some((name) => existsSync(join(folder, name)))
  const above: string[] = []
  for (let folder = join(workspace.dir, cwd); ; folder = dirname(folder)) {
    above.push(folder)
    if (folder.startsWith(workspace.dir) && has(folder)) return true
    if (existsSync(join(folder, '.git'))) return above.some(has)
    if (dirname(folder) === folder) return false
  }
}
