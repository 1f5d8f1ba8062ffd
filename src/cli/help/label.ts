import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: [
    'label RUN|TASK good|bad [options]',
    'label RUN|TASK --clear',
    'label --list',
    'label --auto [--days N] [--ci FILE|-]',
  ],
  about:
    'Say afterwards whether the work of a run was good; "last" is the newest run that is over, a task of a list has its own. Labels teach the completion confidence (exitgate learn) and judge a backtest; they decide nothing. With --auto they are found out: work that was reverted, CI that was red on it, tests that a later run had to mend again. That is only ever bad: a run about which nothing was found has no label.',
  rows: [
    ['--reason TEXT', 'why; it is shown wherever the label is'],
    ['--by NAME', 'who says so (default: a person)'],
    ['--clear', 'take back what a person said about the run'],
    ['--list', 'the runs that are over, with their labels'],
    ['--auto', 'look for signs that completed runs were not good; what a person said stands'],
    ['--days N', 'how long after the end of a run (default: learning.days of the configuration, 14)'],
    [
      '--ci FILE|-',
      'results of CI: JSON rows with commit and conclusion, as gh run list --json headSha,conclusion gives them, or a JUnit report of the commit checked out',
    ],
    ...LOOK_ROWS,
  ],
  more: 'For people: an agent does not judge its own work.',
  examples: [
    'exitgate label last good',
    'exitgate label 20260105-101500-3 bad --reason "the export is empty"',
    'gh run list --json headSha,conclusion | exitgate label --auto --ci -',
  ],
}
