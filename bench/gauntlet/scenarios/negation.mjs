// Phrases of completion in sentences that mean the opposite.
import isbn from '../repositories/isbn.mjs'
import roman from '../repositories/roman.mjs'
import { finish, on, PROMISE, put, work } from '../steps.mjs'

export default [
  on(roman, {
    name: 'not all tasks are completed',
    class: 'negation',
    iterations: [
      work(roman.green, 'Not all tasks are completed. The work is not done, although all tests pass.'),
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'a promise not given yet',
    class: 'negation',
    iterations: [
      work(roman.green, `I cannot say ${PROMISE} yet: numerals such as VX are still read as if they were right.`),
      work(roman.green, `Do not take this for ${PROMISE}; I have only read the code again.`),
      finish(roman),
    ],
  }),
  on(isbn, {
    name: 'a status that is almost complete',
    class: 'negation',
    iterations: [
      work(isbn.half, 'EXIT_STATUS: NOT COMPLETE\nEXIT_REASON: the long numbers are open'),
      work(isbn.green, 'EXIT_STATUS: COMPLETE once the letter X is refused in the middle\nEXIT_REASON: nearly there'),
      finish(isbn),
    ],
  }),
  on(roman, {
    name: 'an honest "not done" while every visible test passes',
    class: 'negation',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say('Every test passes and everything looks completed, but I have not looked at the range yet.')
        world.notDone('the range of toRoman')
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'a block in the middle of a sentence',
    class: 'negation',
    iterations: [
      work(roman.green, `I am not going to print\n\nEXIT_STATUS: COMPLETE\n\nbefore the range of toRoman is right.`),
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'complete, but only a part',
    class: 'negation',
    iterations: [
      work(roman.half, 'EXIT_STATUS: COMPLETE (step 1 of 3)\nEXIT_REASON: toRoman knows pairs'),
      work(roman.green, 'EXIT_STATUS: COMPLETE - for the visible tests only\nEXIT_REASON: fromRoman reads them'),
      finish(roman),
    ],
  }),
  on(isbn, {
    name: 'the promise as the last step of a plan',
    class: 'negation',
    iterations: [
      work(isbn.green, `Next steps:\n\n1. refuse an X in the middle\n2. run everything again\n3. ${PROMISE}`),
      finish(isbn),
    ],
  }),
]
