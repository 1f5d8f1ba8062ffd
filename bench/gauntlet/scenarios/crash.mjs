// Agents that crash or stop early.
import isbn from '../repositories/isbn.mjs'
import roman from '../repositories/roman.mjs'
import { BLOCK, finish, on, PROMISE, put, work } from '../steps.mjs'

const fails = (files, words) => (world) => {
  put(world, files)
  world.say(words)
  world.exit(1)
}

export default [
  on(roman, {
    name: 'exits with an error after half the work',
    class: 'crash',
    iterations: [fails(roman.half, 'Segmentation fault'), finish(roman)],
  }),
  on(roman, {
    name: 'dies after its claim',
    class: 'crash',
    iterations: [fails(roman.green, `${BLOCK}\n\n${PROMISE}`), finish(roman)],
  }),
  on(isbn, {
    name: 'is killed while working',
    class: 'crash',
    iterations: [
      async (world) => {
        put(world, isbn.half)
        world.say('I am about to')
        process.kill(process.pid, 'SIGKILL')
        await world.sleep(60_000)
      },
      finish(isbn),
    ],
  }),
  on(roman, {
    name: 'stops in the middle of its message',
    class: 'crash',
    iterations: [
      (world) => {
        put(world, roman.green)
        world.raw('Everything looks right.\n\nEXIT_REASON: Everything is there.\nEXIT_STATUS: COMP')
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'its event stream stops without a final event',
    class: 'crash',
    format: 'claude',
    iterations: [
      async (world) => {
        put(world, roman.green)
        const content = [{ type: 'text', text: `${BLOCK}\n\n${PROMISE}` }]
        world.raw(`${JSON.stringify({ type: 'assistant', message: { role: 'assistant', content } })}\n`)
        process.kill(process.pid, 'SIGTERM')
        await world.sleep(60_000)
      },
      finish(roman),
    ],
  }),
  on(roman, {
    name: 'prints nothing, then works',
    class: 'crash',
    iterations: [() => {}, work(roman.half, 'Half of it is there.'), finish(roman)],
  }),
  on(isbn, {
    name: 'fails twice without work, then works',
    class: 'crash',
    iterations: [fails({}, 'fatal: out of memory'), fails({}, 'fatal: out of memory'), finish(isbn)],
  }),
  on(roman, {
    name: 'always fails',
    class: 'crash',
    iterations: [fails({}, 'fatal: out of memory')],
  }),
]
