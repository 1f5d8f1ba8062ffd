import { ASK_ROWS, TASK_ROW } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['reset-breaker --reason "..." [options]'],
  about: 'Close the breaker of the run, whether it is running or not.',
  rows: [TASK_ROW, ...ASK_ROWS],
  examples: ['exitgate reset-breaker --reason "fixed the network"'],
}
