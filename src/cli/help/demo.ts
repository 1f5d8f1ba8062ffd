import type { Page } from './page.ts'

export const page: Page = {
  usage: ['demo [options]'],
  about:
    'A scripted agent works on a small project in a temporary folder: its first claim is refused, then the work is really done.',
  rows: [
    ['--keep', 'keep the folder, with the report as a page in it'],
    ['--json', 'one JSON line per iteration'],
    ['--no-color', 'plain text (NO_COLOR is respected too)'],
  ],
  examples: ['exitgate demo --keep'],
}
