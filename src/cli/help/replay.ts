import { LOOK_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['replay [options]'],
  about:
    'Decides every iteration of the journal again, on the facts and under the configuration that are recorded there, and shows each decision that this version takes otherwise: what was recorded, what it is today, and the first field that differs.',
  rows: [
    ['--run RUN|TASK', 'that run only, or the runs of a task'],
    ['--all', 'every project in the state folder; a journal that cannot be read is named and left out'],
    ...LOOK_ROWS,
  ],
  more: 'Exit code: 0 when all are the same, 1 when some differ, 70 when a journal cannot be read. Journals that were reset are looked at too. Nothing is run and nothing is written.',
  examples: ['exitgate replay', 'exitgate replay --run 20260105-081500-3', 'exitgate replay --all --json'],
}
