import { play } from './play.ts'
import { broken, refused, trouble, truncated } from './rows.ts'

play('gemini', [
  ...trouble(() => ''),
  // It says nothing about either: what was said stands there as if it were whole.
  refused({ final: 'I will not do that.' }),
  truncated({ final: 'The kettle is repai' }),
  broken({ final: '', kinds: ['api'] }),
  {
    about: 'without a word about permissions, nothing is written',
    turns: [{ tools: [{ write: { path: 'lid.txt', content: 'shut' } }] }, { text: 'It was not allowed.' }],
    args: ['-m', 'gemini-2.5-pro'],
    final: 'It was not allowed.',
    absent: 'lid.txt',
  },
])
