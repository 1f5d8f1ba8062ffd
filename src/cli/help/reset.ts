import { ASK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['reset [options]'],
  about: 'Begin anew. The old journal is kept aside, nothing is deleted.',
  rows: [
    ['--breaker', 'only close the breaker; the run goes on'],
    ['--force-unlock', 'also when a lock of another machine is in the way'],
    ...ASK_ROWS,
  ],
  examples: ['exitgate reset', 'exitgate reset --breaker --reason "fixed the network"'],
}
