import { CONFIG_ROWS, VALUE_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['goal start "TEXT" [--plan FILE] | goal status | goal stop [--reason "..."]'],
  about:
    'What has to be reached in this folder before an agent with the hook may stop. start takes the baseline that the agent is measured by.',
  rows: [
    ...VALUE_ROWS,
    ['--new-run', 'leave a run that is not finished'],
    ['--reason "..."', 'why it is given up (stop)'],
    ...CONFIG_ROWS,
  ],
  examples: ['exitgate goal start "the importer reads CSV and Excel" --plan PLAN.md', 'exitgate goal status'],
}
