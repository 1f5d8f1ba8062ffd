// The figures as tables.

const COLUMNS = [
  ['system', 34],
  ['scenarios', 11],
  ['false', 7],
  ['of these known', 16],
  ['missed', 8],
  ['wasted mean', 13],
  ['max', 5],
  ['idle mean', 11],
  ['max', 5],
  ['own ms', 8],
]

const line = (cells) =>
  `  ${cells.map((cell, at) => (at === 0 ? String(cell).padEnd(COLUMNS[0][1]) : String(cell).padStart(COLUMNS[at][1]))).join('')}`

export function printTable(print, rows) {
  print(line(COLUMNS.map(([name]) => name)))
  for (const { system, scenarios, falseCompletions, falseAllowed, missed, wasted, idle, overheadMs } of rows)
    print(
      line([
        system,
        scenarios,
        falseCompletions,
        falseAllowed,
        missed,
        wasted.mean ?? '-',
        wasted.max ?? '-',
        idle.mean ?? '-',
        idle.max ?? '-',
        overheadMs ?? '-',
      ]),
    )
}

/** Every wrong or late run of exitgate, by name and with its reason. */
export function printMisses(print, misses) {
  for (const { scenario, class: group, fault, ending, reason, missing } of misses) {
    print(`  ${fault}: ${group}: ${scenario} (${ending})`)
    for (const each of [reason, ...missing].filter(Boolean)) print(`      ${each.slice(0, 300)}`)
  }
}
