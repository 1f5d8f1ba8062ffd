/**
 * AUC: the share of pairs of one true and one false row in which the true one scores higher; a tie counts half. Undefined without
 * pairs.
 */
export function auc(rows) {
  const sorted = rows.toSorted((one, two) => one.score - two.score)
  let [rankSum, positives] = [0, 0]
  for (let from = 0; from < sorted.length; ) {
    let to = from
    while (to < sorted.length && sorted[to].score === sorted[from].score) to += 1
    const rank = (from + to + 1) / 2
    for (let at = from; at < to; at += 1) {
      if (!sorted[at].truth) continue
      rankSum += rank
      positives += 1
    }
    from = to
  }
  const negatives = sorted.length - positives
  if (positives === 0 || negatives === 0) return undefined
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives)
}

/** The same over pairs within one group only. */
export function aucWithin(rows, groupOf) {
  let [sum, pairs] = [0, 0]
  for (const group of groupsOf(rows, groupOf)) {
    const positives = group.filter(({ truth }) => truth).length
    const own = positives * (group.length - positives)
    if (own === 0) continue
    sum += own * auc(group)
    pairs += own
  }
  return pairs === 0 ? undefined : sum / pairs
}

/** The 95 % interval of a share (Wilson), which stays within 0 and 1 even for few rows. */
export function wilson(hits, rows) {
  if (rows === 0) return undefined
  const z = 1.959964
  const share = hits / rows
  const middle = share + (z * z) / (2 * rows)
  const half = z * Math.sqrt((share * (1 - share)) / rows + (z * z) / (4 * rows * rows))
  const whole = 1 + (z * z) / rows
  return [Math.max(0, (middle - half) / whole), Math.min(1, (middle + half) / whole)]
}

/**
 * The 95 % bootstrap interval of any figure. Complete groups are drawn, because rows of one group are similar. The random numbers
 * are always the same. Draws without a defined figure are left out.
 */
export function bootstrap(rows, groupOf, figure, draws = 500) {
  const groups = groupsOf(rows, groupOf)
  const random = generator(20_240_229)
  const found = []
  for (let draw = 0; draw < draws; draw += 1) {
    const drawn = groups.flatMap(() => groups[Math.floor(random() * groups.length)])
    const value = figure(drawn)
    if (value !== undefined) found.push(value)
  }
  if (found.length < draws / 2) return undefined
  found.sort((one, two) => one - two)
  const at = (share) => found[Math.min(found.length - 1, Math.max(0, Math.round(share * found.length - 0.5)))]
  return [at(0.025), at(0.975)]
}

/** Rows grouped by a key, in the order of their first ones. */
export function groupsOf(rows, groupOf) {
  const groups = new Map()
  for (const row of rows) {
    const key = groupOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()]
}

/** The same numbers between 0 and 1 on every machine: xorshift with 32 bits. */
function generator(seed) {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4_294_967_296
  }
}
