// Work that is done and undone.
import isbn from '../repositories/isbn.mjs'
import roman from '../repositories/roman.mjs'
import { finish, on, put, work } from '../steps.mjs'

const start = ({ files }, path) => ({ [path]: files[path] })
const back = start(roman, 'src/roman.js')

const turns = (files, claims) =>
  Array.from({ length: 8 }, (_, index) => (world) => {
    put(world, files[index % files.length])
    world.say(`Attempt ${world.n}: this way round it should be right.`)
    if (claims) world.claim()
  })

export default [
  on(roman, {
    name: 'alternates endlessly',
    class: 'oscillating',
    iterations: turns([roman.half, back], false),
  }),
  on(isbn, {
    name: 'alternates endlessly, with claims',
    class: 'oscillating',
    iterations: turns([isbn.half, start(isbn, 'isbn.py')], true),
  }),
  on(roman, {
    name: 'cycles through three states',
    class: 'oscillating',
    iterations: turns([roman.half, { 'src/roman.js': '// anew\nexport {}\n' }, back], false),
  }),
  on(roman, {
    name: 'reverts itself twice, then settles',
    class: 'oscillating',
    iterations: [
      work(roman.half, 'With pairs.'),
      (world) => {
        world.say(world.sh('git checkout -- src/roman.js'))
        world.say('No, without pairs.')
      },
      work(roman.half, 'With pairs after all.'),
      finish(roman),
    ],
  }),
]
