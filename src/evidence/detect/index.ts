import { lua, markerFiles, meson, perl } from '../../../packages/exitgate/src/frameworks/other-commands.ts'
import { programsIn } from '../../system/find-program.ts'
import type { Detected, Workspace } from '../types.ts'
import { cmake, dotnet, go, gradle, maven, rust } from './compiled-languages.ts'
import { deno } from './deno.ts'
import { runnerIn, scriptIn } from './find-runner.ts'
import { make } from './make.ts'
import { node } from './node.ts'
import { type Detector, depthOf, type HasProgram, openProject, type Project, stringsOf } from './project.ts'
import { python } from './python.ts'
import { bats, elixir, php, ruby } from './script-languages.ts'

/** If two find a command for the same folder, the earlier one is listed first. */
const DETECTORS: readonly Detector[] = [
  node,
  deno,
  python,
  go,
  rust,
  maven,
  gradle,
  dotnet,
  ruby,
  php,
  elixir,
  cmake,
  meson,
  perl,
  lua,
  markerFiles,
  bats,
  make,
]

export interface DetectOptions {
  /** Commands from the configuration. Nothing is detected for these. */
  readonly commands?: Readonly<Partial<Record<Detected['kind'], string | undefined>>>
  readonly platform?: string
  /** Whether a program can be started from a folder of the workspace. */
  readonly hasProgram?: HasProgram
}

const KINDS: readonly Detected['kind'][] = ['test', 'build', 'lint', 'typecheck']

/** Every command of the project: tests first, those of the top folder before those below it. */
export async function detect(workspace: Workspace, options: DetectOptions = {}): Promise<readonly Detected[]> {
  const commands = options.commands ?? {}
  const wanted = KINDS.filter((kind) => commands[kind] === undefined)
  const project = await openProject(workspace, options.platform, options.hasProgram)
  const found = wanted.length === 0 ? [] : DETECTORS.flatMap((detector) => safely(detector, project))
  const named = KINDS.flatMap((kind) =>
    commands[kind] === undefined ? [] : [configuredIn(project, kind, commands[kind])],
  )
  const all = [...named, ...found.filter(({ kind }) => wanted.includes(kind)).map((each) => withMissing(each, project))]
  const order = new Map(all.map((each, at) => [each, at]))
  const rank = (each: Detected) => [KINDS.indexOf(each.kind), each.wrapper ? 1 : 0, depthOf(each.cwd), order.get(each)!]
  return unique(all).sort((a, b) => {
    const [left, right] = [rank(a), rank(b)]
    return left.map((value, at) => value - right[at]!).find((difference) => difference !== 0) ?? 0
  })
}

/** A half-written project may break one detector; the others still run. */
function safely(detector: Detector, project: Project): readonly Detected[] {
  try {
    return detector(project)
  } catch {
    return []
  }
}

function withMissing(detected: Detected, project: Project): Detected {
  const { command, cwd } = detected
  const missing = programsIn(command).find((name) => !project.hasProgram(name, cwd))
  return missing === undefined || detected.missing !== undefined ? detected : { ...detected, missing }
}

/** A command from the configuration, with the runner it starts. */
export async function configured(workspace: Workspace, kind: Detected['kind'], command: string): Promise<Detected> {
  return configuredIn(await openProject(workspace), kind, command)
}

function configuredIn(project: Project, kind: Detected['kind'], command: string): Detected {
  const scripts = stringsOf(project.json('package.json')?.scripts)
  const runner = kind === 'test' ? runnerIn(command, (name) => scripts[name]) : undefined
  const behind = scriptIn(command, (name) => scripts[name])
  const more = { ...(runner !== undefined && { runner }), ...(behind !== undefined && { behind }) }
  return { kind, command, cwd: '', why: 'set in the configuration', ...more }
}

function unique(all: readonly Detected[]): Detected[] {
  const seen = new Set<string>()
  return all.filter(({ kind, cwd, command }) => {
    const key = `${kind}\0${cwd}\0${command}`
    return !seen.has(key) && seen.add(key) !== undefined
  })
}

/** The commands to run: all that work by themselves; without a sure one, the project's own task before a guess. */
export function preferred(found: readonly Detected[], kind: Detected['kind']): readonly Detected[] {
  const own = found.filter((each) => each.kind === kind)
  const out = leftOut(own)
  const usable = own.filter((each) => !out.includes(each))
  const direct = usable.filter((each) => each.wrapper !== true)
  const task = usable.find((each) => each.wrapper === true)
  if (task !== undefined && direct.every((each) => each.guess === true)) return [task]
  return direct.length > 0 ? direct : usable.slice(0, 1)
}

/**
 * Commands that can't run because their program is not installed, while the project has others: those of a subfolder, tasks and
 * guesses. A claim about the rest of the project can still be verified.
 */
export function leftOut(found: readonly Detected[]): readonly Detected[] {
  const without = (kind: Detected['kind']) => {
    const own = found.filter((each) => each.kind === kind)
    const works = own.filter((each) => each.missing === undefined)
    const top = Math.min(...works.map(({ cwd }) => depthOf(cwd)))
    return own.filter(
      (each) =>
        each.missing !== undefined && (depthOf(each.cwd) > top || (works.length > 0 && (each.wrapper || each.guess))),
    )
  }
  return KINDS.flatMap(without)
}
