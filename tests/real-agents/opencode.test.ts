import { play } from './play.ts'
import { DONE, refused, trouble, truncated } from './rows.ts'

play('opencode', [
  ...trouble(() => ''),
  refused({ final: 'I will not do that.', kinds: ['refusal'] }),
  truncated({ final: 'The kettle is repai', kinds: ['truncated'] }),
  // When no connection ever holds it takes more than a minute to say so; one that does is enough to see the rest.
  {
    about: 'a stream that breaks off once',
    turns: [{ text: 'EXIT_STATUS: COMPLETE', cut: true }, { text: 'One leak is left.' }],
    final: 'One leak is left.',
  },
  {
    about: 'what it cost',
    turns: [{ text: DONE, usage: { input: 1000, output: 100 } }],
    final: DONE,
    claim: true,
    usd: 0.0012,
  },
])
