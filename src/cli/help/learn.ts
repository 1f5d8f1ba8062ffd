import { CONFIG_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['learn [options]', 'learn --apply [NAME...] [--yes]'],
  about:
    'What labelled runs (exitgate label) teach: how well the completion confidence of default tells good work from bad, and whether a calibrated one does it better on runs that it has not seen. If so it is kept, and shown from the next run on; it opens and shuts nothing. Thresholds that would have served the past better are named with what they would have saved and lost, and change only when you say so. Below learning.minimumLabels nothing is learned.',
  rows: [
    ['--all', 'learn the confidence from every project in the state folder; thresholds are of this project alone'],
    ['--apply', 'show what would change in your configuration, all or the named thresholds, and write it after a yes'],
    ['--yes', 'write it without asking'],
    ...CONFIG_ROWS,
  ],
  more: 'For people: an agent does not choose the thresholds that hold it.',
  examples: ['exitgate learn', 'exitgate learn --apply hollowClaims', 'exitgate learn --json'],
}
