import { ASK_ROWS, TASK_ROW } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['force --reason "..." [options]'],
  about:
    'A person says that the run is done. It ends as completed, and is shown as forced everywhere. While a run is running, it is asked through its socket; the agent itself is refused, and that is written down. Without one, the unfinished run is ended.',
  rows: [TASK_ROW, ...ASK_ROWS],
  examples: ['exitgate force --reason "the last failing test is about another feature" --by Ada'],
}
