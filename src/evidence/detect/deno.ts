import type { Detected } from '../types.ts'
import { runnerIn } from './find-runner.ts'
import { type Detector, join, stringsOf } from './project.ts'

/** Tasks in deno.json first; then deno's own commands, unless scripts in package.json cover them. */
export const deno: Detector = (project) =>
  project.roots(/^deno\.jsonc?$/).flatMap((cwd): readonly Detected[] => {
    const file = ['deno.json', 'deno.jsonc'].map((name) => join(cwd, name)).find((path) => project.has(path))!
    const tasks = tasksOf(project.json(file)?.tasks)
    const scripts = stringsOf(project.json(join(cwd, 'package.json'))?.scripts)
    const task = (kind: Detected['kind'], names: readonly string[]): readonly Detected[] => {
      const name = names.find((each) => tasks[each] !== undefined)
      if (name === undefined) return []
      const behind = tasks[name]!
      const runner = kind === 'test' ? runnerIn(behind) : undefined
      const why = `${file} has a task "${name}"${runner === undefined ? '' : ` that runs ${runner}`}`
      return [{ kind, command: `deno task ${name}`, cwd, why, behind, ...(runner !== undefined && { runner }) }]
    }
    const own = task('test', ['test', 'test:ci'])
    const alone = own.length === 0 && scripts.test === undefined
    return [
      ...own,
      ...(alone ? [{ kind: 'test', command: 'deno test', cwd, runner: 'deno', why: `found ${file}` } as const] : []),
      ...task('build', ['build']),
      ...task('lint', ['lint']),
      ...task('typecheck', ['typecheck', 'check', 'types']),
    ]
  })

/** A task is a command line, or an object that contains one. */
function tasksOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {}
  return stringsOf(
    Object.fromEntries(
      Object.entries(value).map(([name, task]: [string, unknown]) => [
        name,
        typeof task === 'object' && task !== null ? (task as { command?: unknown }).command : task,
      ]),
    ),
  )
}
