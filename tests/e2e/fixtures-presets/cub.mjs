import { finish, hang, n, say, scenario, task, tick } from './agent.mjs'

const status = (value, left) =>
  say(
    `EXIT_STATUS: ${value}`,
    `EXIT_REASON: what is asked for is ${left === 'none' ? '' : 'not '}there`,
    `REMAINING_WORK: ${left}`,
  )

const scenarios = {
  completes() {
    if (n === 1) {
      finish('first')
      say('The first half is written.', '')
      return status('CONTINUE', 'the second half')
    }
    finish('second')
    say('All tasks are completed and ready for review.', '', '<promise>COMPLETE</promise>', '')
    status('COMPLETE', 'none')
  },
  // Every task in the list is verified separately.
  listed() {
    const half = task.includes('first') ? 'first' : 'second'
    finish(half)
    tick('PLAN.md', `the ${half} half`)
    say(`The ${half} half: all tasks are completed.`, 'It is ready for review.', '')
    status('COMPLETE', 'none')
  },
  // Hints at being done, but never prints the exact promise.
  blocked() {
    finish('first')
    say(`<promise>COMPLETE</promise> is what I would like to say. Note ${n}.`)
  },
  hangs() {
    say('Thinking.')
    hang()
  },
}

scenarios[scenario]()
