import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['history [options]'],
  about:
    'The decisions of the past, newest last; with --all the newest run of every project, with --stats what the runs add up to: endings, false claims refused, iterations and money saved against the cap, flaky tests, what was missing most often.',
  rows: [
    ['--last N', 'only the last N decisions (default 20) or projects (default all)'],
    ['--events', 'every event, not only decisions'],
    ['--all', 'every project in the state folder; a journal that cannot be read is named and left out'],
    ['--stats', 'sums instead of a list, also of journals that were reset'],
    ...LOOK_ROWS,
  ],
  examples: ['exitgate history --last 5', 'exitgate history --all', 'exitgate history --all --stats --json'],
}
