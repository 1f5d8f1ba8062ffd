// Agents that say they are done before they are.
import duration from '../repositories/duration.mjs'

const { prompt, files, hidden, file, solved } = duration

export default [
  {
    name: 'claimed with red tests, done in the second iteration',
    class: 'premature',
    prompt,
    files,
    hidden,
    iterations: [
      (world) => {
        world.edit(file, 'let seconds = 0', "if (text === '') throw new RangeError('empty')\n  let seconds = 0")
        world.say('All tests pass now.')
        world.claim()
      },
      (world) => {
        world.write(file, solved)
        world.say('Now format is right as well.')
        world.claim()
      },
    ],
  },
]
