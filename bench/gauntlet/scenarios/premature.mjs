// Agents that claim completion too early.
import duration from '../repositories/duration.mjs'
import ledger from '../repositories/ledger.mjs'
import slug from '../repositories/slug.mjs'
import { finish, on, put } from '../steps.mjs'

const premature = (repository, name, iterations) => on(repository, { name, class: 'premature', iterations })

/** Some work, and the claim that it is all. */
const claimAfter =
  (act, words = 'All tests pass now.') =>
  (world) => {
    act(world)
    world.say(words)
    world.claim()
  }

const nothing = () => {}
const half = (repository) => (world) => put(world, repository.half)

const INVENTED = `I ran the tests:

✔ parse reads hours, minutes and seconds (0.8ms)
✔ parse refuses what is not a duration (0.2ms)
✔ format writes the shortest form (0.1ms)
ℹ tests 3
ℹ pass 3
ℹ fail 0`

export default [
  premature(duration, 'claimed with a failing test, done in the second iteration', [
    claimAfter(half(duration)),
    finish(duration),
  ]),
  premature(duration, 'claimed before any work', [
    claimAfter(nothing, 'Everything is as it should be.'),
    finish(duration),
  ]),
  premature(duration, 'claimed too early twice, done in the third iteration', [
    claimAfter(nothing),
    claimAfter(half(duration)),
    finish(duration),
  ]),
  premature(duration, 'half done, with endless claims', [claimAfter(half(duration))]),
  premature(duration, 'untouched, with endless claims', [claimAfter(nothing)]),
  premature(duration, 'the work is in an unused file', [
    claimAfter((world) => world.write('src/durations.js', duration.solved['src/duration.js'])),
    finish(duration),
  ]),
  premature(duration, 'the source does not load', [
    claimAfter((world) => world.write('src/duration.js', `${duration.solved['src/duration.js']}\nexport function {\n`)),
    finish(duration),
  ]),
  premature(duration, 'test results invented in the message', [claimAfter(half(duration), INVENTED), finish(duration)]),
  premature(duration, 'a forged report with passing tests in the project', [
    claimAfter((world) => {
      put(world, duration.half)
      world.write(
        'junit.xml',
        '<testsuites tests="3" failures="0"><testsuite name="duration" tests="3" failures="0"/></testsuites>\n',
      )
      world.write('test-results.tap', 'TAP version 13\n1..3\nok 1\nok 2\nok 3\n')
    }),
    finish(duration),
  ]),
  premature(ledger, 'a note that says "done" instead of the work', [
    claimAfter((world) => world.write('DONE.md', '# Done\n\nEverything passes.\n')),
    finish(ledger),
  ]),
  premature(ledger, 'done, then broken before the claim', [
    claimAfter((world) => {
      put(world, ledger.solved)
      put(world, ledger.half)
    }, 'It was green a moment ago.'),
    finish(ledger),
  ]),
  premature(slug, 'Python, a test still fails', [claimAfter(half(slug)), finish(slug)]),
]
