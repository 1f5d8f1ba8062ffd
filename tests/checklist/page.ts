import type { SYSTEMS } from './map.ts'

/** The page for people: one table a system, each line with the places that hold it. */
export function pageOf(
  systems: typeof SYSTEMS,
  issues: Readonly<Record<string, string>>,
  rows: ReadonlyMap<string, string>,
): string {
  const places = systems.flatMap(({ lines }) => Object.values(lines))
  const waiting = places.filter(([, ...all]) => all.every((place) => place.startsWith('#'))).length
  return [
    '# What the older systems ask for, and where it is held',
    '',
    `${places.length} lines of five systems. A row is a case in \`tests/scenarios\` or a table beside it; a file is named with words of`,
    `the test in it; an issue will hold what is not built yet (${waiting} lines wait for one alone). \`tests/checklist.test.ts\` writes this`,
    'page and fails when a row, a test or a file it names is gone.',
    '',
    `Issues: ${Object.entries(issues)
      .map(([number, name]) => `${number} ${name}`)
      .join(', ')}.`,
    ...systems.flatMap(({ name, lines }) => [
      '',
      `## ${name}`,
      '',
      '| line | what | held by |',
      '|---|---|---|',
      ...Object.entries(lines).map(([id, [what, ...all]]) => `| ${id} | ${what} | ${shown(all, rows).join('; ')} |`),
    ]),
    '',
  ].join('\n')
}

/** Rows of one file together; then tests by their words, then issues. */
function shown(places: readonly string[], rows: ReadonlyMap<string, string>): readonly string[] {
  const inFile = (file: string) => places.filter((place) => rows.get(place) === file)
  const files = [...new Set(places.flatMap((place) => rows.get(place) ?? []))]
  const tests = places.filter((place) => !rows.has(place) && !place.startsWith('#'))
  const issues = places.filter((place) => place.startsWith('#'))
  return [
    ...files.map((file) => `${file}: ${inFile(file).join(', ')}`),
    ...tests.map((place) => place.replace(': ', ': `').replaceAll('|', '\\|').concat('`')),
    ...issues.map((issue) => `issue ${issue}`),
  ]
}
