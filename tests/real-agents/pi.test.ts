import { play } from './play.ts'
import { broken, DONE, modelErrors, refused, truncated } from './rows.ts'

const ROWS = [
  ...modelErrors(() => ''),
  refused({ final: 'I will not do that.', kinds: ['refusal'] }),
  truncated({ final: 'The kettle is repai', kinds: ['truncated'] }),
  broken({ final: '', kinds: ['api'] }),
  {
    about: 'the cost',
    turns: [{ text: DONE, usage: { input: 1000, output: 100 } }],
    final: DONE,
    claim: true,
    usd: 0.0012,
  },
]

play('pi', ROWS)
play('pi-newest', ROWS)
