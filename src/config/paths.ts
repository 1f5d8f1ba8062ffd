// Settings are addressed by dotted paths. A name of your own that contains a dot is in brackets: run.prices[gpt-5.5].input.

/** The path of a key below another path. */
export function pathBelow(above: string, key: string): string {
  if (/[.[\]]/.test(key)) return `${above}[${key}]`
  return above === '' ? key : `${above}.${key}`
}

export const pathOf = (keys: readonly string[]): string => keys.reduce(pathBelow, '')

/** The keys of a path. */
export function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/\[([^[\]]*)\]|[^.[\]]+/g)].map(([key, inBrackets]) => inBrackets ?? key)
}
