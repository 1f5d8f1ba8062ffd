import { ASK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['pause [--off] [options]'],
  about: 'Hold the run before its next iteration.',
  rows: [['--off', 'let it go on'], ...ASK_ROWS],
  examples: ['exitgate pause --reason "lunch"', 'exitgate pause --off'],
}
