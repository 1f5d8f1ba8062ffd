import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['watch [options]'],
  about:
    'The runs as a live page on this machine alone: the same charts and iterations as in the report, and buttons to pause, interrupt, skip, reset the breaker and force, each with a reason. Prints the address; its token is what lets a page in. An agent that gets hold of it is refused by the run all the same.',
  rows: [
    ['--all', 'the runs of every project in the state folder, not of this one alone'],
    ['--tty', 'the list in this terminal instead; q leaves'],
    [
      '--port N',
      'always the same port and token, so that an open page goes on after a restart (default: any free one)',
    ],
    ['--open', 'show it in the browser'],
    ...LOOK_ROWS,
  ],
  examples: ['exitgate watch --open', 'exitgate watch --all --tty', 'exitgate watch --all --port 7007'],
}
