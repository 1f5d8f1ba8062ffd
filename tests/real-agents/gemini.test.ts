import { play } from './play.ts'
import { broken, modelErrors, refused, truncated } from './rows.ts'

play('gemini', [
  ...modelErrors(() => ''),
  // Gemini reports neither case, so the text looks complete.
  refused({ final: 'I will not do that.' }),
  truncated({ final: 'The kettle is repai' }),
  broken({ final: '', kinds: ['api'] }),
  {
    about: 'without permission flags, nothing is written',
    turns: [{ tools: [{ write: { path: 'lid.txt', content: 'shut' } }] }, { text: 'It was not allowed.' }],
    args: ['-m', 'gemini-2.5-pro'],
    final: 'It was not allowed.',
    absent: 'lid.txt',
  },
])
