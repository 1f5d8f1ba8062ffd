import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['state [--verify] [options]'],
  about: 'Where the run stands: iteration, phase, streaks, breaker, spending.',
  rows: [['--verify', 'check every line of the journal against its hash'], ...LOOK_ROWS],
  examples: ['exitgate state', 'exitgate state --verify --json'],
}
