const IMPORT = /^\s*(?:import|from|use|using|export\s.*\sfrom)\b|\brequire(?:_once|_relative)?\b/

/** The lines of a file outside of its tests and imports, where rows and constants are. `tests`: the first and last line of each. */
export const linesAround = (text: string, tests: readonly (readonly [from: number, to: number])[]): string =>
  text
    .split('\n')
    .filter((line, i) => !IMPORT.test(line) && !tests.some(([from, to]) => i + 1 >= from && i + 1 <= to))
    .join('\n')

/** Values that took the place of others; undefined if some were only added, or only removed. */
export function exchanged(
  before: readonly string[],
  after: readonly string[],
): { readonly left: readonly string[]; readonly entered: readonly string[] } | undefined {
  const [left, entered] = [without(before, after), without(after, before)]
  return left.length === 0 || entered.length === 0 ? undefined : { left, entered }
}

/** One list without as many of each value as another list has. */
function without(list: readonly string[], other: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const value of other) counts.set(value, (counts.get(value) ?? 0) + 1)
  return list.filter((value) => {
    const count = counts.get(value) ?? 0
    counts.set(value, count - 1)
    return count <= 0
  })
}

/** What may keep an assertion from running, also one in a helper that nothing reads. */
export const branchesIn = (text: string): number =>
  text.match(/\b(?:if|unless|for|while|try|catch|except|rescue|return|switch|match)\b|&&|\|\||\?/g)?.length ?? 0
