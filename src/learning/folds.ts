/** Something that belongs to a group, and is one of two kinds. */
export interface Grouped {
  readonly group: string
  readonly label: 'good' | 'bad'
}

/**
 * Which fold each one belongs to, groups kept whole. Without chance: the groups with the most of the rarer kind are dealt out first,
 * each to the fold that has least of it, so that every fold has some where there is enough.
 */
export function foldsOf(all: readonly Grouped[], folds: number): readonly number[] {
  const rarer = all.filter(({ label }) => label === 'bad').length * 2 <= all.length ? 'bad' : 'good'
  const groups = new Map<string, { size: number; rare: number }>()
  for (const { group, label } of all) {
    const so = groups.get(group) ?? { size: 0, rare: 0 }
    groups.set(group, { size: so.size + 1, rare: so.rare + (label === rarer ? 1 : 0) })
  }
  const filled = Array.from({ length: folds }, () => ({ size: 0, rare: 0 }))
  const foldOf = new Map<string, number>()
  const order = [...groups].sort(([a, m], [b, n]) => n.rare - m.rare || n.size - m.size || (a < b ? -1 : 1))
  for (const [group, { size, rare }] of order) {
    const least = filled.reduce((best, fold, at) => (emptier(fold, filled[best] ?? fold, rare) ? at : best), 0)
    const fold = filled[least]
    if (fold === undefined) continue
    fold.size += size
    fold.rare += rare
    foldOf.set(group, least)
  }
  return all.map(({ group }) => foldOf.get(group) ?? 0)
}

type Filled = { readonly size: number; readonly rare: number }

const emptier = (one: Filled, other: Filled, rare: number): boolean =>
  rare > 0 && one.rare !== other.rare ? one.rare < other.rare : one.size < other.size
