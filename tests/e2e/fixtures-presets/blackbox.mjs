import { n, say, scenario, tick } from './agent.mjs'

const PLAN = '.ralph/@fix_plan.md'
const tickAll = (...tasks) => {
  for (const task of tasks) tick(PLAN, task)
}
const SURE = 'I am confident this is correct.'

/** No status block: only the plan and the wording count here. */
const scenarios = {
  eighty() {
    tickAll(...(n === 1 ? ['task 1', 'task 2'] : ['task 3', 'task 4']))
    say(`${SURE} Task ${n * 2} done.`)
  },
  whole() {
    tickAll(...(n === 1 ? ['task 1', 'task 2'] : ['task 3', 'task 4', 'task 5']))
    say(n === 1 ? `${SURE} Task 2 done.` : 'All tasks are now complete.')
  },
  unsure() {
    tickAll('task 1')
    say("I think this might work, but I'm not sure.")
  },
  stagnates() {
    say(`${SURE} Great progress was made.`)
  },
}

scenarios[scenario]()
