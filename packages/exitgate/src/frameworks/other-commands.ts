import { mesonSetup, readBelow } from './configured-builds.ts'

/** A project as these detectors see it. */
export interface ProjectFiles {
  readonly files: readonly string[]
  read(path: string): string | undefined
  roots(name: RegExp): readonly string[]
}

interface FoundCommand {
  readonly kind: 'test' | 'build'
  readonly command: string
  readonly cwd: string
  readonly runner?: string
  readonly why: string
}

export interface TestCommand {
  readonly kind: 'test'
  readonly command: string
  /** The folder where it runs; the top folder is ''. */
  readonly cwd: string
  readonly runner: string
  readonly why: string
  readonly guess?: true
}

const inside = (folder: string, path: string) => (folder === '' ? path : `${folder}/${path}`)
const below = ({ files }: ProjectFiles, folder: string) =>
  folder === ''
    ? files
    : files.flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []))

/** A distribution with tests in `t`. One with C code is built first, and tested as it was built. */
export function perl(project: ProjectFiles): readonly TestCommand[] {
  return project.roots(/^(?:Makefile\.PL|Build\.PL|dist\.ini|cpanfile|META\.(?:json|yml))$/).flatMap((cwd) => {
    const files = below(project, cwd)
    const first = files.find((path) => /^t\/.*\.t$/.test(path))
    if (first === undefined) return []
    const isBuilt = files.some((path) => path.endsWith('.xs')) && files.includes('Makefile.PL')
    const command = isBuilt ? 'perl Makefile.PL && make && prove -br t' : 'prove -lr t'
    return [{ kind: 'test', command, cwd, runner: 'prove', why: `found ${inside(cwd, first)}` }]
  })
}

/** busted collects `spec/*_spec.lua` unless its settings name other files. */
export function lua(project: ProjectFiles): readonly TestCommand[] {
  const settings = project.roots(/^\.busted$/)
  if (settings.length > 0)
    return settings.map((cwd) => ({
      kind: 'test',
      command: 'busted',
      cwd,
      runner: 'busted',
      why: `found ${inside(cwd, '.busted')}`,
    }))
  const spec = project.files.find((path) => /^spec\/(?:.*\/)?[^/]*_spec\.(?:lua|moon)$/.test(path))
  return spec === undefined
    ? []
    : [{ kind: 'test', command: 'busted', cwd: '', runner: 'busted', why: `found ${spec}` }]
}

const MESON_FOLDERS = ['build', 'builddir', '_build', 'out']

/** In the folder that was already configured, if there is one. Setting it up again does nothing. It builds by itself. */
export function meson(project: ProjectFiles): readonly TestCommand[] {
  return project.roots(/^meson\.build$/).flatMap((cwd) => {
    const files = below(project, cwd).filter((path) => /(?:^|\/)meson\.build$/.test(path))
    const declares = files.find((path) => /^\s*test\s*\(/m.test(project.read(inside(cwd, path)) ?? ''))
    if (declares === undefined) return []
    const isReady = (name: string) => project.read(inside(cwd, `${name}/meson-info/meson-info.json`)) !== undefined
    const ready = MESON_FOLDERS.find(isReady)
    const folder = ready ?? 'build'
    const command = `${mesonSetup(readBelow(project, cwd), folder)} && meson test -C ${folder} --print-errorlogs`
    const why = `${inside(cwd, declares)} declares tests${ready === undefined ? '' : `, already configured in ${folder}`}`
    return [{ kind: 'test', command, cwd, runner: 'meson', why }]
  })
}

/** The commands that a target of a Makefile runs, as one line; undefined if there are none, or variables in them. */
function recipeOf(makefile: string, target: string): string | undefined {
  const lines = makefile.split('\n')
  const isHead = (line: string) =>
    new RegExp(`^(?:[\\w.-]+[ \\t]+)*${target}(?:[ \\t]+[\\w.-]+)*[ \\t]*::?(?!=)`).test(line)
  const at = lines.findIndex(isHead)
  const recipe = lines.slice(at + 1)
  const end = recipe.findIndex((line) => line.trim() !== '' && !line.startsWith('\t'))
  const commands = (end < 0 ? recipe : recipe.slice(0, end)).map((line) => line.replace(/^\t[@+-]*/, '').trim())
  const known = commands.filter((line) => line !== '' && !line.startsWith('#'))
  return at < 0 || known.length === 0 || known.some((line) => /[$\\]/.test(line)) ? undefined : known.join(' && ')
}

/** What a target of a Makefile starts, if that is one known runner. */
export function callIn(
  makefile: string,
  target: string,
  runnerIn: (line: string) => string | undefined,
): { readonly behind?: string; readonly runner?: string } {
  const behind = recipeOf(makefile, target)
  const runner = behind === undefined ? undefined : runnerIn(behind)
  return behind === undefined || runner === undefined ? {} : { behind, runner }
}

interface Call {
  readonly command: string
}

/** Both name their tests in what they print: busted with an option, prove with a variable, which also reaches it below make. */
export const otherRunners = [
  {
    names: ['busted'],
    inject: ({ command }: Call) =>
      /^busted(?: [^&|;<>`$]*)?$/.test(command) && !/ (?:-o|--output)\b/.test(command)
        ? { command: `${command} --output=TAP`, reports: { in: 'output' } as const }
        : undefined,
  },
  {
    names: ['prove'],
    inject: ({ command }: Call) => ({ command, env: { HARNESS_VERBOSE: '1' }, reports: { in: 'output' } as const }),
  },
]

/** Ecosystems where one file is enough: its name, the commands, and the runner if we can read its output. */
const ROWS: readonly (readonly [file: RegExp, test: string, build: string | undefined, runner: string | undefined])[] =
  [
    [/^Package\.swift$/, 'swift test', 'swift build', 'swift'],
    [/^build\.sbt$/, 'sbt test', 'sbt compile', undefined],
    [/^stack\.yaml$/, 'stack test', 'stack build', undefined],
    [/^build\.zig$/, 'zig build test', 'zig build', undefined],
    [/^gleam\.toml$/, 'gleam test', 'gleam build', undefined],
    [/^project\.clj$/, 'lein test', undefined, undefined],
  ]

export const markerFiles = (project: ProjectFiles): readonly FoundCommand[] => [
  ...ROWS.flatMap(([file, test, build, runner]) =>
    project.roots(file).flatMap((cwd): readonly FoundCommand[] => {
      const why = `found ${inside(cwd, file.source.replace(/[\\^$]/g, ''))}`
      return [
        { kind: 'test', command: test, cwd, why, ...(runner !== undefined && { runner }) },
        ...(build === undefined ? [] : [{ kind: 'build', command: build, cwd, why } as const]),
      ]
    }),
  ),
  ...project.roots(/^pubspec\.yaml$/).map((cwd): FoundCommand => {
    const flutter = /^\s+sdk:\s*flutter\b/m.test(project.read(inside(cwd, 'pubspec.yaml')) ?? '')
    const command = flutter ? 'flutter test' : 'dart test'
    return { kind: 'test', command, cwd, runner: 'dart', why: `found ${inside(cwd, 'pubspec.yaml')}` }
  }),
]
