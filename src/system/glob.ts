import picomatch from 'picomatch'

const MAGIC = /[*?[{]/

export const isGlob = (path: string): boolean => MAGIC.test(path)

/** The folder that all matches of a glob are in; empty for the workspace itself. */
export function baseOf(glob: string): string {
  const parts = glob.split('/')
  const first = parts.findIndex(isGlob)
  return parts.slice(0, first < 0 ? parts.length - 1 : first).join('/')
}

/**
 * Whether a path with slashes fits: `*` and `?` within a name, `**` over folders, `{a,b}`, `[a-z]`; with `extended`, `@(a|b)`
 * and its like too. Names that begin with a dot are names like others.
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
