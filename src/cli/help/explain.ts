import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['explain [ITERATION] [options]'],
  about:
    'Why the last (or that) iteration of the run was decided so: every rule with its answer, and what would have opened the gate.',
  rows: [['--run RUN', 'a run of the past instead of the last one'], ...LOOK_ROWS],
  examples: ['exitgate explain', 'exitgate explain 3 --json'],
}
