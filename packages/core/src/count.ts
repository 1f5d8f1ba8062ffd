/** `1 test`, `2 tests`, `3 entries`: the last word is the noun, unless you pass the plural. */
export function count(n: number, one: string, many = plural(one)): string {
  return `${n} ${n === 1 ? one : many}`
}

function plural(one: string): string {
  if (/[^aeiou]y$/.test(one)) return `${one.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(one) ? `${one}es` : `${one}s`
}

/** `a, b and c`. A long list is shortened to its first items and the number of others. */
export function listOf(names: readonly string[], limit = 3): string {
  const shown = names.length > limit ? [...names.slice(0, limit), `${names.length - limit} more`] : names
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
