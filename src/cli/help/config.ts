import { CONFIG_ROWS, VALUE_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['config [PATH...] [options]'],
  about:
    'Every effective value (or those under PATH) and where it came from: default < preset < file < task type < environment < flags.',
  rows: [...VALUE_ROWS, ...CONFIG_ROWS.filter(([names]) => !names.startsWith('--state-dir'))],
  examples: ['exitgate config', 'exitgate config limits breaker.noProgress --preset ralph'],
}
