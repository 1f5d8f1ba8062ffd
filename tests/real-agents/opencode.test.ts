import { play } from './play.ts'
import { DONE, modelErrors, refused, truncated } from './rows.ts'

play('opencode', [
  ...modelErrors(() => ''),
  refused({ final: 'I will not do that.', kinds: ['refusal'] }),
  truncated({ final: 'The kettle is repai', kinds: ['truncated'] }),
  // If every connection breaks, opencode takes more than a minute to give up. So only the first one breaks here.
  {
    about: 'a stream that breaks once',
    turns: [{ text: 'EXIT_STATUS: COMPLETE', cut: true }, { text: 'One leak is left.' }],
    final: 'One leak is left.',
  },
  {
    about: 'the cost',
    turns: [{ text: DONE, usage: { input: 1000, output: 100 } }],
    final: DONE,
    claim: true,
    usd: 0.0012,
  },
])
