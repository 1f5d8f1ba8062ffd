// Projects with tests that failed before the work began.
import duration from '../repositories/duration.mjs'
import { finish, on, put } from '../steps.mjs'

const SHORT = "['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']"
const WHOLE = "['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']"
/** The owner accepts that the test fails. */
const ACCEPTED = { 'exitgate.config.json': '{ "baseline": { "accept": ["weekdays have their whole name"] } }\n' }
const weekday = (names) => ({
  'src/weekday.js': `export const weekday = (date) => ${names}[date.getUTCDay()]\n`,
  'test/weekday.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { weekday } from '../src/weekday.js'

test('weekdays have their whole name', () => {
  assert.equal(weekday(new Date(0)), 'Thursday')
})
`,
})

const failing = (name, iterations, files, more) =>
  on(duration, { name, class: 'known-failures', files: { ...duration.files, ...files }, iterations, ...more })

/** Nothing else may be broken. */
const ACCEPTANCE = `import { weekday } from './src/weekday.js'

assert.equal(weekday(new Date(0)), 'Thursday')
`

const HIDDEN_WITH_WEEKDAY = {
  hidden: {
    ...duration.hidden,
    files: { 'acceptance.mjs': `${ACCEPTANCE}${duration.hidden.files['acceptance.mjs']}` },
  },
}

const MONTHS = `
test('months are read', () => {
  assert.equal(parse('1mo'), 2592000)
})
`

export default [
  failing('an accepted test that failed before and still fails', [finish(duration)], {
    ...weekday(SHORT),
    ...ACCEPTED,
  }),
  failing(
    'an accepted earlier failure, with a premature first claim',
    [
      (world) => {
        put(world, duration.half)
        world.say('Only the weekday fails, as before.')
        world.claim()
      },
      finish(duration),
    ],
    { ...weekday(SHORT), ...ACCEPTED },
  ),
  failing('an accepted failing test unrelated to the work', [finish(duration)], {
    'test/duration.test.js': `${duration.files['test/duration.test.js']}${MONTHS}`,
    'exitgate.config.json': '{ "baseline": { "accept": ["months are read"] } }\n',
  }),
  failing(
    'a passing test is broken, then fixed',
    [
      (world) => {
        put(world, duration.solved)
        world.write('src/weekday.js', 'export const weekday = () => undefined\n')
        world.say('The durations are done.')
        world.claim()
      },
      (world) => {
        put(world, weekday(WHOLE))
        world.say('The weekdays are right again.')
        world.claim()
      },
    ],
    weekday(WHOLE),
    HIDDEN_WITH_WEEKDAY,
  ),
]
