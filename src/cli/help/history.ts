import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['history [options]'],
  about: 'The decisions of the past, newest last.',
  rows: [['--last N', 'only the last N (default 20)'], ['--events', 'every event, not only decisions'], ...LOOK_ROWS],
  examples: ['exitgate history --last 5'],
}
