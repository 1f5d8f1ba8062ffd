import { ASK_ROWS, TASK_ROW } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['pause [--off] [options]'],
  about: 'Hold the run before its next iteration.',
  rows: [['--off', 'let it go on'], TASK_ROW, ...ASK_ROWS],
  examples: ['exitgate pause --reason "lunch"', 'exitgate pause --off'],
}
