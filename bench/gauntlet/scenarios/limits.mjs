// Limits on iterations, cost and a provider's usage, and text that only looks like a limit.
import isbn from '../repositories/isbn.mjs'
import roman from '../repositories/roman.mjs'
import { finish, on, put, work } from '../steps.mjs'

export default [
  on(roman, {
    name: 'something new in every iteration, endlessly',
    class: 'limits',
    args: ['--max-iterations', '5'],
    iterations: [
      (world) => {
        world.write(`notes/${world.n}.md`, `Thought number ${world.n}\n`)
        world.say('I have written down another thought.')
      },
    ],
  }),
  on(roman, {
    name: 'done in the last allowed iteration',
    class: 'limits',
    args: ['--max-iterations', '3'],
    iterations: [work(roman.half, 'Half of it.'), work(roman.green, 'Most of it.'), finish(roman)],
  }),
  on(isbn, {
    name: 'a limit message in ordinary text',
    class: 'limits',
    iterations: [
      work(
        isbn.half,
        'The service for covers answers 429, rate limit reached; its tests are elsewhere.\nUsage limit reached.',
      ),
      finish(isbn, 'The client of that service gives up when it hears: Claude usage limit reached. Ours has none.'),
    ],
  }),
  on(roman, {
    name: 'a real provider limit that ends after a second',
    class: 'limits',
    format: 'claude',
    iterations: [
      (world) => {
        world.say(`Claude AI usage limit reached|${Math.floor(Date.now() / 1000) + 1}`)
        world.exit(1)
      },
      work(roman.half, 'Half of it is there.'),
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'the cost limit is reached',
    class: 'limits',
    format: 'claude',
    args: ['--max-cost', '0.5'],
    iterations: [
      (world) => {
        world.spend(0.3)
        put(world, world.n % 2 === 1 ? roman.half : roman.green)
        world.say('I go on tomorrow.')
      },
    ],
  }),
  on(roman, {
    name: 'done right at the cost limit',
    class: 'limits',
    format: 'claude',
    args: ['--max-cost', '0.5'],
    iterations: [
      (world) => {
        world.spend(0.3)
        work(roman.half, 'Half of it is there.')(world)
      },
      (world) => {
        world.spend(0.3)
        finish(roman)(world)
      },
    ],
  }),
]
