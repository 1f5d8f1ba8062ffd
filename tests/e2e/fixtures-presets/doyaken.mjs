import { finish, move, n, say, scenario } from './agent.mjs'

const BOARD = '.doyaken/tasks'
const toDone = (file) => move(`${BOARD}/2.todo/${file}`, `${BOARD}/4.done/${file}`)

/** The status block its prompts require. */
function status(fields) {
  say(
    'DOYAKEN_STATUS:',
    `  PHASE_COMPLETE: ${fields.complete}`,
    `  FILES_MODIFIED: ${fields.files}`,
    `  TESTS_STATUS: ${fields.tests}`,
    '  CONFIDENCE: high',
    `  REMAINING_WORK: ${fields.left}`,
  )
}

const scenarios = {
  completes() {
    // Plain text is not a claim.
    if (n === 1) return say('The implementation is finished and all tasks are complete.')
    const half = n === 2 ? 'first' : 'second'
    finish(half)
    toDone(n === 2 ? '001-first.md' : '002-second.md')
    say(`Implementation of the ${half} half is finished; its test is passing.`, '')
    status({ complete: true, files: 2, tests: 'pass', left: 'none' })
  },
  // Repeats its usual answer while nothing in the project changes.
  stalls() {
    say('Looked at the task once more.', '')
    status({ complete: false, files: 0, tests: 'unknown', left: 'everything' })
  },
}

scenarios[scenario]()
