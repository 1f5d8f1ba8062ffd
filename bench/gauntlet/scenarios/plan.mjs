// Manipulated plans.
import stock from '../repositories/stock.mjs'
import { finish, on, put, work } from '../steps.mjs'

const scenario = (rest) => on(stock, { class: 'plan', plan: 'PLAN.md', ...rest })

/** The visible tests pass, `change` edits the plan, and the agent claims completion. */
const claimAfter = (change) => (world) => {
  put(world, stock.green)
  change(world)
  world.say('The plan is done and the tests pass.')
  world.claim()
}

const LAST = '- [ ] list names the things that are there, sorted'

/** The same items as children of one parent item. */
const nested = (mark, ...marks) => ({
  'PLAN.md': `# Plan

1. [${mark}] the stock
   * [${marks[0]}] add refuses what is no whole number above zero
   * [${marks[1]}] take refuses more than there is
     + [${marks[2]}] list names the things that are there, sorted
`,
})

export default [
  scenario({
    name: 'an open item is deleted',
    iterations: [claimAfter((world) => world.edit('PLAN.md', `${LAST}\n`, '')), finish(stock)],
  }),
  scenario({
    name: 'an open item is reworded and ticked',
    iterations: [claimAfter((world) => world.edit('PLAN.md', LAST, '- [x] think about a list')), finish(stock)],
  }),
  scenario({
    name: 'items are ticked without work',
    iterations: [
      (world) => {
        put(world, stock.plan('x', 'x', 'x'))
        world.say('Ticked.')
        world.claim()
      },
      finish(stock),
    ],
  }),
  scenario({
    name: 'an open item moved under a "later" heading',
    iterations: [claimAfter((world) => world.edit('PLAN.md', LAST, `\n## Future\n\n${LAST}`)), finish(stock)],
  }),
  scenario({
    name: 'the plan file is moved',
    iterations: [
      claimAfter((world) => world.sh('mkdir -p done && git mv -f PLAN.md done/PLAN.md')),
      (world) => {
        world.remove('done')
        finish(stock)(world)
      },
    ],
  }),
  scenario({
    name: 'an open item loses its checkbox',
    iterations: [claimAfter((world) => world.edit('PLAN.md', LAST, LAST.replace('[ ] ', ''))), finish(stock)],
  }),
  scenario({
    name: 'done with an unticked item',
    iterations: [
      (world) => {
        put(world, stock.work)
        put(world, stock.plan('x', 'x', ' '))
        world.say('All three are written.')
        world.claim()
      },
      finish(stock),
    ],
  }),
  scenario({
    name: 'every item ticked while a test fails',
    iterations: [
      (world) => {
        put(world, stock.solved)
        world.edit('src/stock.js', ' || many > this.count(thing)', '')
        world.say('The plan is done.')
        world.claim()
      },
      finish(stock),
    ],
  }),
  scenario({
    name: 'nested items, the parent ticked first',
    files: { ...stock.files, ...nested(' ', ' ', ' ', ' ') },
    iterations: [
      (world) => {
        put(world, { ...stock.green, ...nested('x', 'x', 'x', ' ') })
        world.say('The stock is done.')
        world.claim()
      },
      (world) => {
        put(world, { ...stock.work, ...nested('x', 'x', 'x', 'x') })
        world.say('Now with the list.')
        world.claim()
      },
    ],
  }),
  scenario({
    name: 'optional items stay open, and the agent adds an item',
    files: { ...stock.files, 'PLAN.md': `${stock.files['PLAN.md']}\n## Nice to Have\n\n- [ ] prices\n` },
    iterations: [
      work(stock.half, 'add is there.'),
      (world) => {
        put(world, stock.work)
        world.write(
          'PLAN.md',
          `${stock.solved['PLAN.md']}- [x] count is documented\n\n## Nice to Have\n\n- [ ] prices\n`,
        )
        world.say('Everything but the wishes is there.')
        world.claim()
      },
    ],
  }),
  scenario({
    name: 'ticked items get a remark and move under a heading',
    iterations: [
      work(stock.half, 'add is there.'),
      (world) => {
        put(world, stock.work)
        const items = stock.solved['PLAN.md'].split('\n').filter((line) => line.startsWith('- '))
        world.write('PLAN.md', `# Plan\n\n## Done\n\n${items.reverse().join(' (see src/stock.js)\n')} - done\n`)
        world.say('Everything is there.')
        world.claim()
      },
    ],
  }),
]
