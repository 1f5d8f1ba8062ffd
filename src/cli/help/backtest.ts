import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['backtest [options]'],
  about:
    'Where each run of the past would have ended under another configuration, and what that would have saved or, against labels, broken. What was seen then stays as it was; counters, streaks, breaker and phases are counted anew. What nobody looked at then cannot be told, and is said to be so.',
  rows: [
    ['--preset P', 'default, cub, prp, doyaken, blackbox, gsd, ralph'],
    ['--threshold N', "the preset's threshold"],
    ['--set KEY=VALUE', 'any other value by its dotted path; may be given more than once'],
    ['--config FILE', 'the values of that file; what it does not name stays as it was'],
    ['--run RUN|TASK', 'that run only, or the runs of a task'],
    ['--all', 'every project in the state folder; a journal that cannot be read is named and left out'],
    ...LOOK_ROWS,
  ],
  more: 'A preset brings its own values; what a person had set for the run stays. Journals that were reset are looked at too. Nothing is run and nothing is written.',
  examples: [
    'exitgate backtest --preset cub --threshold 5',
    'exitgate backtest --set breaker.noProgress=2 --set limits.iterations=20',
    'exitgate backtest --config strict.json --all --json',
  ],
}
