import { fail, finish, goAhead, hang, n, say, scenario, task, tick } from './agent.mjs'

const ROADMAP = '.planning/ROADMAP.md'

/** Plain text and ticked boxes: this system has no status block. */
const scenarios = {
  completes() {
    if (n === 1) {
      finish('first')
      tick(ROADMAP, '01-01-PLAN.md')
      return say('Plan 01-01 executed. Its test is green.')
    }
    if (n === 2) {
      finish('second')
      return say('Plan 01-02 executed. All tests pass.')
    }
    tick(ROADMAP, '01-02-PLAN.md')
    say('Plan 01-02 ticked.')
  },
  stuck() {
    fail(`Error: cannot do ${task}: src/a | b.js is gone`)
  },
  works() {
    say(`Still working on ${task}.`)
  },
  async waits() {
    await goAhead()
    say(`Done with ${task} for now.`)
  },
  hangs() {
    say(`Started on ${task}.`)
    hang()
  },
}

await scenarios[scenario]()
