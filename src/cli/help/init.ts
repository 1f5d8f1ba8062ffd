import type { Page } from './page.ts'

export const page: Page = {
  usage: ['init [--from cub|prp|doyaken|blackbox|gsd|ralph] [options]'],
  about: 'Write a configuration; with --from, carry over the settings of an older tool.',
  rows: [
    ['--from SYSTEM', 'carry over the settings of an older tool'],
    ['--preset P', 'the preset to start with'],
    ['--format json|yaml', '(default json)'],
    ['--force', 'replace an existing configuration'],
    ['--dry-run', 'only show what would be written'],
    ['--dir DIR', 'the project (default: this folder)'],
    ['--json', 'one JSON document on stdout'],
  ],
  examples: ['exitgate init --from ralph --dry-run'],
}
