import type { Page } from './page.ts'

export const page: Page = {
  usage: ['init [--from cub|prp|doyaken|blackbox|gsd|ralph] [options]'],
  about:
    'Looks for agents, test commands, plans and older loops, shows the configuration and the hooks it would write, and writes what you say yes to. Without a terminal and without --yes it writes the configuration alone. What is here already is not replaced.',
  rows: [
    ['--yes', 'yes to everything that is shown; what hooks may run stays for you: exitgate trust'],
    ['--from SYSTEM', 'carry over the settings of an older tool'],
    ['--preset P', 'the preset to start with'],
    ['--format json|yaml', '(default json)'],
    ['--force', 'replace an existing configuration'],
    ['--dry-run', 'only show what would be written'],
    ['--dir DIR', 'the project (default: this folder)'],
    ['--json', 'one JSON document on stdout'],
  ],
  examples: ['exitgate init', 'exitgate init --yes', 'exitgate init --from ralph --dry-run'],
}
