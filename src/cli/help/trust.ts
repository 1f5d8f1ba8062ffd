import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['trust [options]'],
  about:
    'Shows what a hook would run in this folder, and approves exactly that. Until then a hook says so once and lets the agent stop.',
  rows: [['--show', 'only show it'], ['--withdraw', 'approve nothing any more'], ...LOOK_ROWS],
  examples: ['exitgate trust --show', 'exitgate trust'],
}
