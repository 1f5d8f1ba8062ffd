import { CONFIG_ROWS, DECIDE_ROWS } from './common-rows.ts'
import type { Page } from './page.ts'

export const page: Page = {
  usage: ['check [options]'],
  about: 'Decide once about the iteration that just ended, record it, and say why.',
  rows: [
    ...DECIDE_ROWS,
    ['--claim', 'the caller says that it is done, where the agent says neither yes nor no'],
    ['--ci', 'a pull request is the claim: compared with the merge base of its target branch'],
    ['--sarif FILE', 'with --ci: the findings as SARIF 2.1.0'],
    ...CONFIG_ROWS,
  ],
  examples: [
    'exitgate check --transcript agent.log --test "npm test"',
    'exitgate check --ci --base main --sarif exitgate.sarif',
    'exitgate check --transcript out.jsonl --format claude --evidence evidence.json --json',
    'exitgate check --preset prp --phase GREEN --transcript agent.log --evidence evidence.json',
  ],
}
