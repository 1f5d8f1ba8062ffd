const SPECIAL = /[\\^$.|+()[\]{}*?]/g
const MAGIC = /[*?[{]/

export const isGlob = (path: string): boolean => MAGIC.test(path)

/** The folder that all matches of a glob lie in; empty for the workspace itself. */
export function baseOf(glob: string): string {
  const parts = glob.split('/')
  const first = parts.findIndex(isGlob)
  return parts.slice(0, first < 0 ? parts.length - 1 : first).join('/')
}

/**
 * Whether a path with slashes fits: `*` and `?` within a name, `**` over folders, `{a,b}`, `[a-z]`. Names that begin
 * with a dot are names like others.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = new RegExp(`^(?:${patternOf(glob.replace(/^\.\//, ''))})$`)
  return (path) => pattern.test(path)
}

function patternOf(glob: string): string {
  let out = ''
  let open = 0
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]!
    const set = char === '[' ? /^\[(!|\^)?(\]?[^\]]*)\]/.exec(glob.slice(at)) : null
    if (glob.startsWith('**/', at) && (at === 0 || glob[at - 1] === '/')) {
      out += '(?:[^/]+/)*'
      at += 2
    } else if (glob.startsWith('**', at)) {
      out += '.*'
      at += 1
    } else if (char === '*') out += '[^/]*'
    else if (char === '?') out += '[^/]'
    else if (set !== null) {
      out += `(?!/)[${set[1] === undefined ? '' : '^'}${set[2]!.replace(/[\\[\]^]/g, '\\$&')}]`
      at += set[0].length - 1
    } else if (char === '{' && glob.indexOf('}', at) > 0) {
      open += 1
      out += '(?:'
    } else if (char === '}' && open > 0) {
      open -= 1
      out += ')'
    } else if (char === ',' && open > 0) out += '|'
    else out += char.replace(SPECIAL, '\\$&')
  }
  return out + ')'.repeat(open)
}
