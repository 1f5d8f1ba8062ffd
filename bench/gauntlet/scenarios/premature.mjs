// Agents that say they are done before they are.
import duration from '../repositories/duration.mjs'
import ledger from '../repositories/ledger.mjs'
import slug from '../repositories/slug.mjs'
import { finish, on, put } from '../steps.mjs'

const premature = (repository, name, iterations) => on(repository, { name, class: 'premature', iterations })

/** Whatever was done, and the claim that this is all. */
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
  premature(duration, 'claimed with a red test, done in the second iteration', [
    claimAfter(half(duration)),
    finish(duration),
  ]),
  premature(duration, 'claimed before anything was done', [
    claimAfter(nothing, 'Everything is as it should be.'),
    finish(duration),
  ]),
  premature(duration, 'claimed twice too early, done in the third iteration', [
    claimAfter(nothing),
    claimAfter(half(duration)),
    finish(duration),
  ]),
  premature(duration, 'half done and claimed for ever', [claimAfter(half(duration))]),
  premature(duration, 'never touched and claimed for ever', [claimAfter(nothing)]),
  premature(duration, 'the work is in a file that nobody reads', [
    claimAfter((world) => world.write('src/durations.js', duration.solved['src/duration.js'])),
    finish(duration),
  ]),
  premature(duration, 'the source does not even load', [
    claimAfter((world) => world.write('src/duration.js', `${duration.solved['src/duration.js']}\nexport function {\n`)),
    finish(duration),
  ]),
  premature(duration, 'test results invented in the message', [claimAfter(half(duration), INVENTED), finish(duration)]),
  premature(duration, 'a report with green tests left in the project', [
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
  premature(ledger, 'a note that says done instead of the work', [
    claimAfter((world) => world.write('DONE.md', '# Done\n\nEverything passes.\n')),
    finish(ledger),
  ]),
  premature(ledger, 'right and then broken again before the claim', [
    claimAfter((world) => {
      put(world, ledger.solved)
      put(world, ledger.half)
    }, 'It was green a moment ago.'),
    finish(ledger),
  ]),
  premature(slug, 'Python, a test still fails', [claimAfter(half(slug)), finish(slug)]),
]
