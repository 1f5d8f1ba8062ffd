import { ASK_ROWS, TASK_ROW } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['skip --reason "..." [options]'],
  about: 'Leave out the task at hand, or with phases the phase.',
  rows: [TASK_ROW, ...ASK_ROWS],
  examples: ['exitgate skip --reason "needs a decision first"'],
}
