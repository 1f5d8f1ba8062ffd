/** What a program says about a file that it did not find. */
const MISSING = /no such file|cannot open|can['’]?t open|could not open|not found|cannot find|ENOENT|does not exist/i
const PATH = /(?:~|\.{1,2})?(?:\/[^\s:;,'"`()<>=]+)+/g
const MOST = 3

/** Files that a program in the sandbox did not find, although they exist outside it. `placeOf` makes their paths absolute. */
export function hiddenPaths(
  printed: string,
  placeOf: (path: string) => string,
  isHidden: (place: string) => boolean,
): readonly string[] {
  const named = printed.split('\n').flatMap((line) => (MISSING.test(line) ? [...line.matchAll(PATH)] : []))
  return [...new Set(named.map(([path]) => placeOf(path)))].filter(isHidden).slice(0, MOST)
}

/** How the sentence begins. */
export const HIDES = 'The sandbox hides '

export const hidesText = (paths: readonly string[]): string =>
  `${HIDES}${paths.join(', ')}. Add ${paths.length === 1 ? 'it' : 'them'} to sandbox.read, or use --sandbox off.`
