const className = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
export const unique = (words: readonly string[]): readonly string[] => [...new Set(words)]

/** How runners of compiled languages run only the tests of some files, given relative to the command's folder. */
export const BY_CODE: Readonly<Record<string, (files: readonly string[]) => readonly string[]>> = {
  cargo: (files) =>
    unique(
      files.flatMap((path) => (/^tests\/[^/]+\.rs$/.test(path) ? ['--test', className(path)] : ['--lib', '--bins'])),
    ),
  maven: (files) => [`-Dtest=${unique(files.map(className)).join(',')}`, '-Dsurefire.failIfNoSpecifiedTests=false'],
  gradle: (files) => files.flatMap((path) => ['--tests', `*${className(path)}`]),
  dotnet: (files) => [
    '--filter',
    unique(files.map(className))
      .map((name) => `FullyQualifiedName~${name}`)
      .join('|'),
  ],
}

/** The functions that Go runs of these files; undefined if they also have tests that such a name does not show. */
export function goTests(texts: readonly (string | undefined)[]): readonly string[] | undefined {
  const inEach = texts.map((text = '') =>
    [...text.matchAll(/^func ((?:Test|Example|Fuzz)\w*)\(/gm)].map(([, name]) => name!),
  )
  const isPlain = texts.every((text = '', i) => inEach[i]!.length > 0 && !/^func \([^)]*\) Test/m.test(text))
  return isPlain ? unique(inEach.flat()) : undefined
}
