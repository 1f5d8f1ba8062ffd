import { play } from './play.ts'
import { broken, modelErrors, refused, truncated } from './rows.ts'

play('codex', [
  ...modelErrors(() => ''),
  refused({ final: 'I will not do that.', kinds: ['refusal'] }),
  truncated({ final: 'The kettle is repai', kinds: ['truncated'] }),
  broken({ final: '', kinds: ['api'] }),
  {
    about: 'without permission flags, nothing is written',
    turns: [{ tools: [{ write: { path: 'lid.txt', content: 'shut' } }] }, { text: 'It was not allowed.' }],
    args: ['--skip-git-repo-check'],
    final: 'It was not allowed.',
    absent: 'lid.txt',
  },
])
