import picomatch from 'picomatch'

const MAGIC = /[*?[{]/

export const isGlob = (path: string): boolean => MAGIC.test(path)

/** The folder that contains all matches of a glob. Empty for the workspace itself. */
export function globBase(glob: string): string {
  const parts = glob.split('/')
  const first = parts.findIndex(isGlob)
  return parts.slice(0, first < 0 ? parts.length - 1 : first).join('/')
}

/**
 * Whether a path with slashes matches: `*` and `?` within a name, `**` across folders, `{a,b}`, `[a-z]`, and with `extended` also
 * `@(a|b)` and similar. Names that start with a dot are not special.
 */
export function globMatcher(glob: string, { extended = false } = {}): (path: string) => boolean {
  const literal = glob.replace(/^\.\//, '')
  const plain = extended
    ? literal
    : literal.replace(/[()!+@|]/g, (sign, at: number) => (literal[at - 1] === '[' ? sign : `\\${sign}`))
  const fits = picomatch(plain.replaceAll('[!', '[^'), {
    dot: true,
    nonegate: true,
    windows: false,
    noextglob: !extended,
  })
  return (path) => path === literal || fits(path)
}
