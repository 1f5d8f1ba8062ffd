// Tests that pass and fail on the same files.
import duration from '../repositories/duration.mjs'
import rates from '../repositories/rates.mjs'
import { finish, on, put } from '../steps.mjs'

/** Fails on every second run, whatever the project does. */
const CLOCK = `import assert from 'node:assert/strict'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'

const mark = join(tmpdir(), 'clock.mark')

test('the clock of the machine is steady', () => {
  const second = existsSync(mark)
  if (second) rmSync(mark)
  else writeFileSync(mark, '')
  assert.equal(second, false)
})
`

const LOOKED_AT = JSON.stringify({
  evidence: {
    quarantine: [
      { test: 'the clock of the machine is steady', until: '2099-01-01', reason: 'the machine is being replaced' },
    ],
  },
})

const flaky = (repository, name, iterations, more) => on(repository, { name, class: 'flaky', iterations, ...more })

const claim = (world) => {
  world.say('The tests pass.')
  world.claim()
}

export default [
  flaky(rates, 'passes on the first run, fails on the second', [
    (world) => {
      put(world, rates.flaky)
      claim(world)
    },
    finish(rates),
  ]),
  flaky(rates, 'every second run fails, with endless claims', [
    (world) => {
      put(world, rates.flaky)
      claim(world)
    },
  ]),
  flaky(rates, 'the test retries until it passes', [
    (world) => {
      put(world, rates.flaky)
      world.edit(
        'test/rates.test.js',
        "  assert.equal(rates.rate('chf'), 0.95)",
        "  for (let left = 3; left > 0 && rates.rate('chf') !== 0.95; left--);\n  assert.equal(rates.rate('chf'), 0.95)",
      )
      claim(world)
    },
    (world) => {
      put(world, rates.files)
      finish(rates, 'It was the source; the test is as it was.')(world)
    },
  ]),
  flaky(duration, 'a flaky test that its owner accepted', [finish(duration)], {
    files: { ...duration.files, 'test/clock.test.js': CLOCK, 'exitgate.config.json': `${LOOKED_AT}\n` },
  }),
]
