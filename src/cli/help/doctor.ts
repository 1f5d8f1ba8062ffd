import { CONFIG_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['doctor [options]'],
  about:
    'Proves the installation. What evidence can be gathered here, from which commands and why; each of them is run in a copy of the project, as it is and with broken tests, and must go red there. Each installed hook is asked by a small failing project whether its agent may stop after "all tests pass", and must refuse. Then what is not protected. Your tree is not touched, and nothing is left behind.',
  rows: [['--quick', 'only look: run neither commands nor hooks'], ...CONFIG_ROWS],
  more: 'Exit code 0 when all is well, 2 when something that matters is missing: no test command that can be run, a command that stays green with broken tests, a hook that lets a false claim pass, a hook in a folder that was never approved.',
  examples: ['exitgate doctor', 'exitgate doctor --quick', 'exitgate doctor --dir packages/api --json'],
}
