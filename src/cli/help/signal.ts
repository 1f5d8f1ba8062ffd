import type { Page } from './page.ts'

export const page: Page = {
  usage: ['signal complete|continue|blocked [options]'],
  about:
    'What the agent says about being done, from its shell. Works inside exitgate run only: it goes to the loop that started the agent, and counts when this start of the agent ends. It can claim; it can never supply evidence.',
  rows: [
    ['--reason "..."', 'one sentence'],
    ['--remaining "..."', 'what is left; anything but "none" says: not done'],
    ['--confidence C', 'low, medium, high'],
    ['--json', 'one JSON document on stdout'],
  ],
  examples: ['exitgate signal continue --remaining "the API tests"'],
}
