// Agents that make no progress. Some recover, and then their work counts.
import isbn from '../repositories/isbn.mjs'
import roman from '../repositories/roman.mjs'
import { BLOCK, finish, on, put, work } from '../steps.mjs'

export default [
  on(roman, {
    name: 'the same error every time',
    class: 'stuck',
    iterations: [
      work({}, "Error: Cannot find module 'roman-numerals'\nRequire stack:\n- src/roman.js\n\nI could not install it."),
    ],
  }),
  on(roman, {
    name: 'only talk, worded differently every time',
    class: 'stuck',
    iterations: [
      work({}, 'I have thought about the table of letters. It should have pairs.'),
      work({}, 'A table of pairs would be best, as I said; let me think about its order.'),
      work({}, 'From the largest to the smallest, I would say. The plan is good.'),
      work({}, 'I am confident that this plan will work.'),
    ],
  }),
  on(roman, {
    name: 'endless claims without work',
    class: 'stuck',
    iterations: [
      (world) => {
        world.say('Everything was there already.')
        world.claim()
      },
    ],
  }),
  on(isbn, {
    name: 'endless claims, each with a new comment',
    class: 'stuck',
    iterations: [
      (world) => {
        world.append('isbn.py', `# looked at it for the ${world.n}. time\n`)
        world.say('Now it works.')
        world.claim()
      },
    ],
  }),
  on(roman, {
    name: 'blocked until the user answers',
    class: 'stuck',
    iterations: [
      work(
        roman.half,
        'EXIT_STATUS: BLOCKED\nEXIT_REASON: I need the password of the archive with the list of numerals.\nREMAINING_WORK: fromRoman',
      ),
    ],
  }),
  on(roman, {
    name: 'asks for permission once, then works',
    class: 'stuck',
    iterations: [work({}, 'May I write to src/roman.js? Please confirm.'), finish(roman)],
  }),
  on(roman, {
    name: 'the same failure twice, then a solution',
    class: 'stuck',
    iterations: [
      work({}, 'TypeError: LETTERS is not iterable\n    at toRoman (src/roman.js:9:31)'),
      work({}, 'TypeError: LETTERS is not iterable\n    at toRoman (src/roman.js:9:31)'),
      work(roman.half, 'The table is read now.'),
      finish(roman),
    ],
  }),
  on(isbn, {
    name: 'two rejected claims with partial work, then all of it',
    class: 'stuck',
    iterations: [
      (world) => {
        world.append('isbn.py', '# the check digit comes next\n')
        world.say('Done, I think.')
        world.claim()
      },
      (world) => {
        put(world, isbn.half)
        world.say(`Now it is done.`)
        world.claim()
      },
      (world) => {
        world.append('isbn.py', '# thirteen digits are open\n')
        world.say(`${BLOCK.replace('none', 'the long numbers')}`)
      },
      finish(isbn),
    ],
  }),
]
