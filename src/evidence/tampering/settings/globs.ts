/** Whether a path fits a pattern as runners write them: `**`, `*`, `?`, `{a,b}`, `@(a|b)`, `[jt]`. Folders stand for what is in them. */
export function fitsGlob(pattern: string, path: string): boolean {
  const clean = pattern
    .replace(/^\.\//, '')
    .replace(/<rootDir>\/?/, '')
    .replace(/^\//, '')
  if (clean === '' || clean === '.') return true
  const made = compiled(clean)
  return made ? made.test(path) : path.includes(clean)
}

const cache = new Map<string, RegExp | undefined>()

function compiled(pattern: string): RegExp | undefined {
  if (cache.has(pattern)) return cache.get(pattern)
  if (cache.size > 500) cache.clear()
  let made: RegExp | undefined
  try {
    made = looksLikeRegex(pattern)
      ? new RegExp(pattern.replace(/^\/|\/[a-z]*$/g, ''))
      : new RegExp(`^(?:.*/)?${source(pattern)}(?:/.*)?$`)
  } catch {
    made = undefined
  }
  cache.set(pattern, made)
  return made
}

/** jest's testPathIgnorePatterns and testRegex hold regular expressions. A long one is not run. */
const looksLikeRegex = (pattern: string) =>
  pattern.length < 200 &&
  /\\[./dw]|\.\*|\(\?|\.\+|\$$|^\^|^\/.*\/[a-z]*$|\([^)]*\|[^)]*\)(?!\()/.test(pattern) &&
  !/@\(|\+\(|\?\(|\*\*/.test(pattern) &&
  !/(?:\+|\*)\)?(?:\+|\*)/.test(pattern)

function source(pattern: string): string {
  let out = ''
  let group = 0
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!
    if (char === '*' && pattern[i + 1] === '*') {
      const slash = pattern[i + 2] === '/'
      out += slash ? '(?:.*/)?' : '.*'
      i += slash ? 2 : 1
    } else if (char === '*') out += '[^/]*'
    else if (/[@?+!*]/.test(char) && pattern[i + 1] === '(') {
      out += '(?:'
      group++
      i++
    } else if (char === '?') out += '[^/]'
    else if (char === '{' || (char === '(' && group > 0)) {
      out += '(?:'
      group++
    } else if ((char === '}' || char === ')') && group > 0) {
      out += ')'
      group--
    } else if ((char === ',' || char === '|') && group > 0) out += '|'
    else if (char === '[' && pattern.indexOf(']', i) > i) {
      const end = pattern.indexOf(']', i)
      out += pattern.slice(i, end + 1).replace(/^\[!/, '[^')
      i = end
    } else out += char.replace(/[.+^${}()|[\]\\]/g, '\\$&')
  }
  return out.replace(/\/$/, '')
}

/** Paths that a pattern was surely meant for: one for each of its alternatives. */
export function samples(pattern: string): string[] {
  const clean = pattern.replace(/^\.\//, '').replace(/<rootDir>\/?/, '')
  if (looksLikeRegex(clean)) return []
  const brace = /\{([^{}]*)\}|[@?+*]\(([^()]*)\)/.exec(clean)
  if (brace) {
    const options = (brace[1] ?? brace[2])!.split(/[,|]/)
    return options
      .flatMap((option) => samples(clean.slice(0, brace.index) + option + clean.slice(brace.index + brace[0].length)))
      .slice(0, 50)
  }
  const path = clean
    .replace(/\[!?([^\]])[^\]]*\]/g, '$1')
    .replaceAll('**/', 'some/deep/')
    .replaceAll('**', 'some/deep/file')
    .replaceAll('*', 'name')
    .replaceAll('?', 'x')
  return [path]
}
