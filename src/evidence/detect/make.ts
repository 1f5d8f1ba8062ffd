import { callIn } from '../../../packages/exitgate/src/frameworks/other-commands.ts'
import type { Detected } from '../types.ts'
import { runnerIn } from './find-runner.ts'
import type { Detector, Project } from './project.ts'

type Kind = Detected['kind']

/** Common target names. `check` is what the GNU conventions call the tests. */
const NAMES: Readonly<Record<Kind, readonly string[]>> = {
  test: ['test', 'tests', 'check', 'unit-test', 'test-unit'],
  build: ['build', 'compile'],
  lint: ['lint'],
  typecheck: ['typecheck', 'type-check', 'types', 'mypy'],
}

interface Tool {
  readonly program: string
  readonly files: readonly string[]
  /** Names of the targets in a Makefile. */
  readonly targets: (text: string) => ReadonlySet<string>
}

const namesBy = (pattern: RegExp) => (text: string) => new Set([...text.matchAll(pattern)].map(([, name]) => name!))

const TOOLS: readonly Tool[] = [
  {
    program: 'make',
    files: ['GNUmakefile', 'makefile', 'Makefile'],
    // `a b: c` declares two; `a := b` is a variable.
    targets: (text) =>
      new Set(
        [...text.matchAll(/^([A-Za-z][\w .-]*?)[ \t]*::?(?!=)/gm)].flatMap(([, names]) => names!.split(/[ \t]+/)),
      ),
  },
  {
    program: 'just',
    files: ['justfile', 'Justfile', '.justfile'],
    targets: namesBy(/^@?([A-Za-z][\w-]*)(?:[ \t][^\n:]*)?:(?!=)/gm),
  },
  { program: 'task', files: ['Taskfile.yml', 'Taskfile.yaml'], targets: namesBy(/^ {2}([A-Za-z][\w:-]*):[ \t]*$/gm) },
]

/** make, just and task only call other commands, so they count only if nothing else is found. */
export const make: Detector = (project) => TOOLS.flatMap((tool) => inTop(project, tool))

function inTop(project: Project, { program, files, targets }: Tool): readonly Detected[] {
  const file = files.find((name) => project.has(name))
  if (file === undefined) return []
  const text = project.read(file) ?? ''
  const known = targets(text)
  return (Object.keys(NAMES) as Kind[]).flatMap((kind) => {
    const name = NAMES[kind].find((each) => known.has(each))
    if (name === undefined) return []
    const call = { command: `${program} ${name}`, cwd: '', ...callIn(text, name, runnerIn) }
    return [{ kind, ...call, why: `${file} has a target ${name}`, wrapper: true }]
  })
}
