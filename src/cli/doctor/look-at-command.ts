import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../core/config.ts'
import { injectReporter } from '../../evidence/runners/index.ts'
import { scrubbed } from '../../evidence/scrub-environment.ts'
import type { Detected, Workspace } from '../../evidence/types.ts'
import type { DoctorCommand, Looked } from '../../reports/doctor-text.ts'
import { findProgram, programsIn } from '../../system/find-program.ts'
import type { Io } from '../io.ts'

/** Shown for the report folder, which is new for every run. */
const REPORT_FOLDER = 'REPORTS'

/** Whether a command can run here: its program, and what that needs. */
export async function lookAtCommand(
  workspace: Workspace,
  found: Detected,
  io: Io,
  config: Config | undefined,
): Promise<DoctorCommand> {
  const env = scrubbed(io.env, config?.evidence.passEnv)
  const folder = join(workspace.dir, found.cwd)
  const isMissing = (name: string) => findProgram(name, folder, env, io.platform) === undefined
  const missing = programsIn(found.command).find(isMissing)
  const lacks = missing === undefined ? await lacking(workspace, found, isMissing) : undefined
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
  isMissing: (program: string) => boolean,
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
  // A project without dependencies has nothing to install, unless its script starts a program of a package.
  const declares = /"\w*[dD]ependencies"\s*:\s*\{\s*"/.test(workspace.read(join(found.cwd, 'package.json')) ?? '')
  if (!declares && !programsIn(found.behind ?? found.command).some(isMissing)) return undefined
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
