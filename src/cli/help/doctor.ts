import { CONFIG_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['doctor [options]'],
  about:
    'What evidence can be gathered here: the machine, the folder, the configuration, every command that was found and why, how its results are read, what is missing and what to do. Nothing is changed, and no test is run. Exit code 0 when a test command was found and can be run, else 64.',
  rows: CONFIG_ROWS,
  examples: ['exitgate doctor', 'exitgate doctor --dir packages/api --json'],
}
