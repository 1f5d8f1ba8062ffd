import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['report [options]'],
  about:
    "One run as a page that opens from the disk and needs no network: how it ended and why, every iteration with its evidence, the agent's words and the trace of every rule, charts, tampering before and after, overrides. Written to .exitgate/report.html of the project. What looks like a secret is taken out.",
  rows: [
    ['--run RUN', 'a run of the past instead of the last one'],
    ['--out FILE|-', 'somewhere else (- is stdout)'],
    ['--format F', 'html (default), markdown (for a pull request) or json; the latter two go to stdout'],
    ['--transcripts KB', "with the last so many kilobytes of each iteration's output and prompt"],
    ['--open', 'show it in the browser'],
    ...LOOK_ROWS,
  ],
  examples: [
    'exitgate report --open',
    'exitgate report --format markdown > report.md',
    'exitgate report --run 20260102-030405-1 --transcripts 64 --out night.html',
  ],
}
