import { ASK_ROWS, TASK_ROW } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['interrupt [options]'],
  about:
    'Like Ctrl+C in the terminal of the run: the agent finishes its iteration, then the run stops and can be resumed.',
  rows: [TASK_ROW, ...ASK_ROWS],
  examples: ['exitgate interrupt --reason "the laptop goes home"'],
}
