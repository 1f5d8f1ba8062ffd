// Yes and no in the same output. A "no" counts, unless the last statement is a clear "yes".
import isbn from '../repositories/isbn.mjs'
import roman from '../repositories/roman.mjs'
import { BLOCK, finish, on, PROMISE, put, work } from '../steps.mjs'

const LEFT = BLOCK.replace('none', 'refuse numerals such as IC and VX')

export default [
  on(roman, {
    name: 'complete, with remaining work',
    class: 'contradiction',
    iterations: [work(roman.green, `${LEFT}\n\n${PROMISE}`), finish(roman)],
  }),
  on(roman, {
    name: 'complete first, then not complete',
    class: 'contradiction',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say(`${BLOCK}\n\nI have looked again, and that was too early.\n`)
        world.notDone('the range of toRoman')
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'not complete first, then complete in the same message',
    class: 'contradiction',
    iterations: [
      (world) => {
        put(world, roman.solved)
        world.say('EXIT_STATUS: CONTINUE\nEXIT_REASON: one test fails\nREMAINING_WORK: fromRoman\n')
        world.say('That is mended now, and the tests pass. My status is therefore:\n')
        world.claim()
      },
    ],
  }),
  on(isbn, {
    name: 'a claim followed by "however"',
    class: 'contradiction',
    iterations: [
      work(isbn.green, `${BLOCK}\n\nHowever, an X in the middle of a number is not refused yet; I will do that next.`),
      finish(isbn),
    ],
  }),
  on(roman, {
    name: 'an exit signal from a blocked agent',
    class: 'contradiction',
    iterations: [
      work(
        roman.green,
        `---RALPH_STATUS---\nSTATUS: BLOCKED\nEXIT_SIGNAL: true\nRECOMMENDATION: Tell me whether 4000 is to be refused.\n---END_RALPH_STATUS---\n\n${PROMISE}`,
      ),
    ],
  }),
  on(roman, {
    name: 'the promise next to a CONTINUE status',
    class: 'contradiction',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.say(`${PROMISE}\n`)
        world.notDone('the range of toRoman', { only: 'exit-status' })
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'a claim in an earlier message, CONTINUE in the last',
    class: 'contradiction',
    format: 'claude',
    iterations: [
      (world) => {
        put(world, roman.green)
        const content = [{ type: 'text', text: `${BLOCK}\n\n${PROMISE}` }]
        world.raw(`${JSON.stringify({ type: 'assistant', message: { id: 'msg_0', role: 'assistant', content } })}\n`)
        world.say('I have looked once more: numerals such as IC are still accepted.')
      },
      finish(roman),
    ],
  }),
]
