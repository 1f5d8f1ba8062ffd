import type { Page } from './page.ts'

export const page: Page = {
  usage: [
    'fleet migrate | worker | status | drain | limit | watch [options]',
    'fleet submit FILE [--queue Q]',
    'fleet signal RUN|TASK KIND --reason "..." [--by NAME]',
    'fleet show RUN|TASK explain|replay|report|state|history [-- options]',
  ],
  about:
    'Many loops on many machines: tasks in a PostgreSQL database, workers that take them, repositories that travel by git. A worker that dies is replaced by another within seconds, and nothing counts twice.',
  rows: [
    ['--db URL', 'the database; or EXITGATE_FLEET_DB; with - it is read from standard input'],
    ['--queue Q', 'which queue (default main)'],
    ['--concurrency N', 'worker: runs at once (default 1)'],
    ['--lease S', 'worker: seconds of silence after which others take its runs (default 5)'],
    ['--config FILE', 'worker: which secrets and agents its queues have'],
    ['--folder DIR', 'worker: where clones and journals lie while it works on them'],
    ['--once', 'worker: end when the queue has nothing left to do'],
    ['--worker ID', 'drain: this one only'],
    ['KIND', 'interrupt, force, skip, reset-breaker, guidance, pause or resume'],
    ['--reason "..."', 'signal: why; it is written into the journal'],
    ['--by NAME', 'signal: who asks'],
    ['--repository URL', 'limit: of a repository'],
    ['--key NAME', 'limit: of a provider key'],
    ['--at-once N', 'limit: tasks at the same time'],
    ['--calls-per-hour N', 'limit: starts of an agent in any hour, over all workers'],
    ['--last N', 'status: at most N runs (default 20)'],
    ['--json', 'for machines'],
    ['--no-color', 'no colours'],
  ],
  examples: [
    'exitgate fleet worker --queue main --concurrency 4 --config worker.yaml',
    'exitgate fleet submit tasks.yaml',
    'exitgate fleet show login report -- --out login.html',
  ],
}
