import type { Detected } from '../types.ts'
import { type Detector, join } from './project.ts'

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

export const markerFiles: Detector = (project) => [
  ...ROWS.flatMap(([file, test, build, runner]) =>
    project.roots(file).flatMap((cwd): readonly Detected[] => {
      const why = `found ${join(cwd, file.source.replace(/[\\^$]/g, ''))}`
      return [
        { kind: 'test', command: test, cwd, why, ...(runner !== undefined && { runner }) },
        ...(build === undefined ? [] : [{ kind: 'build', command: build, cwd, why } as const]),
      ]
    }),
  ),
  ...project.roots(/^pubspec\.yaml$/).map((cwd): Detected => {
    const flutter = /^\s+sdk:\s*flutter\b/m.test(project.read(join(cwd, 'pubspec.yaml')) ?? '')
    const command = flutter ? 'flutter test' : 'dart test'
    return { kind: 'test', command, cwd, runner: 'dart', why: `found ${join(cwd, 'pubspec.yaml')}` }
  }),
]
