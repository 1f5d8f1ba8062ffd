import type { SYSTEMS } from './map.ts'

/** One table per system: each requirement with the tests that cover it. */
export function pageOf(
  systems: typeof SYSTEMS,
  issues: Readonly<Record<string, string>>,
  rows: ReadonlyMap<string, string>,
): string {
  const places = systems.flatMap(({ lines }) => Object.values(lines))
  const waiting = places.filter(([, ...all]) => all.every((place) => place.startsWith('#'))).length
  return [
    '# Requirements of the older systems, and the tests that cover them',
    '',
    `${places.length} requirements of five systems. A row name is a case in \`tests/scenarios\`. A file is followed by text from the`,
    `test in it. An issue number is work that is not built yet (${waiting} requirements have only that).`,
    '`tests/checklist.test.ts` writes this page, and fails when a row, a test or a file is gone.',
    '',
    `Issues: ${Object.entries(issues)
      .map(([number, name]) => `${number} ${name}`)
      .join(', ')}.`,
    ...systems.flatMap(({ name, lines }) => [
      '',
      `## ${name}`,
      '',
      '| line | requirement | covered by |',
      '|---|---|---|',
      ...Object.entries(lines).map(([id, [what, ...all]]) => `| ${id} | ${what} | ${shown(all, rows).join('; ')} |`),
    ]),
    '',
  ].join('\n')
}

/** Scenario rows by file, then tests by their text, then issues. */
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
