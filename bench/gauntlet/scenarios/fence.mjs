// Status blocks in code fences, quotes and indents; some are samples, some are real.
import isbn from '../repositories/isbn.mjs'
import roman from '../repositories/roman.mjs'
import { BLOCK, finish, on, PROMISE, put, work } from '../steps.mjs'

const fenced = (text, mark = '```') => `${mark}\n${text}\n${mark}`

const real = (repository, as, after) => (world) => {
  put(world, repository.solved)
  world.say('Everything is there, and the tests pass.\n')
  world.claim({ as })
  if (after !== undefined) world.say(after)
}

export default [
  on(roman, {
    name: 'a sample block in a fence, followed by an explanation',
    class: 'fence',
    iterations: [
      work(
        roman.green,
        `This is how my last message will look:\n\n${fenced(`${BLOCK}\n\n${PROMISE}`)}\n\nBefore that the range of toRoman must be looked at.`,
      ),
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'the real block in a fence at the end',
    class: 'fence',
    iterations: [work(roman.half, 'Half of it is there.'), real(roman, (text) => fenced(text))],
  }),
  on(isbn, {
    name: 'the real block in a tilde fence, followed by blank lines',
    class: 'fence',
    iterations: [real(isbn, (text) => fenced(text, '~~~'), '\n\n')],
  }),
  on(roman, {
    name: 'a quoted block in the middle',
    class: 'fence',
    iterations: [
      work(
        roman.green,
        `Somebody wrote in the wiki:\n\n${BLOCK.replaceAll(/^/gm, '> ')}\n> ${PROMISE}\n\nThat was about the old project.`,
      ),
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'a sample in a fence, followed by a real "not done"',
    class: 'fence',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say(`In the end there will be:\n\n${fenced(BLOCK)}\n`)
        world.notDone('numerals such as IC are still accepted')
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'the real block in bold, as a list, slightly indented',
    class: 'fence',
    iterations: [
      work(roman.half, 'Half of it is there.'),
      real(roman, (text) => text.replaceAll(/^([A-Z_]+):/gm, '  - **$1**:')),
    ],
  }),
]
