// Settings are addressed by dotted paths. Brackets hold the place in a list, or a name of your own with a dot: run.prices[gpt-5.5].input.

/** The path of a key below another path. */
export function pathBelow(above: string, key: string): string {
  if (/[.[\]]|^\d+$/.test(key)) return `${above}[${key}]`
  return above === '' ? key : `${above}.${key}`
}

export const pathOf = (keys: readonly string[]): string => keys.reduce(pathBelow, '')

/** The keys of a path. */
export function keysOf(path: string): readonly string[] {
  return [...path.matchAll(/\[([^[\]]*)\]|[^.[\]]+/g)].map(([key, inBrackets]) => inBrackets ?? key)
}
