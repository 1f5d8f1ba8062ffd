import { CONFIG_ROWS, DECIDE_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['while exitgate next [options]; do <agent>; done'],
  about: 'The same decision as check with 0 and 10 swapped. The first call begins the run.',
  rows: [...DECIDE_ROWS, ...CONFIG_ROWS],
  examples: ['while exitgate next --transcript out.log --test "npm test"; do agent < PROMPT.md > out.log; done'],
}
