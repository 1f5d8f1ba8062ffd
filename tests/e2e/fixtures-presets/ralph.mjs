import { finish, n, say, scenario, tick } from './agent.mjs'

const PLAN = '.ralph/fix_plan.md'

function status({ state, exit, type = 'IMPLEMENTATION', tests = 'PASSING' }) {
  say(
    '---RALPH_STATUS---',
    `STATUS: ${state}`,
    'TASKS_COMPLETED_THIS_LOOP: 1',
    'FILES_MODIFIED: 1',
    `TESTS_STATUS: ${tests}`,
    `WORK_TYPE: ${type}`,
    `EXIT_SIGNAL: ${exit}`,
    'RECOMMENDATION: go on with the plan',
    '---END_RALPH_STATUS---',
  )
}

const scenarios = {
  completes() {
    const half = n === 1 ? 'first' : 'second'
    finish(half)
    tick(PLAN, `the ${half} half`)
    say(`The ${half} half is implemented.`, '')
    status(n === 1 ? { state: 'IN_PROGRESS', exit: false } : { state: 'COMPLETE', exit: true })
  },
  // Only runs the tests, again and again. Nothing changes, or it would be more than that.
  tests() {
    say('Running tests: npm test. All tests were run once more.')
  },
  // All its tool calls are denied; this is how one agent CLI reports that.
  denied() {
    const denial = { tool_name: 'Bash', tool_use_id: `tool-${n}`, tool_input: { command: 'npm install' } }
    say(
      JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', tools: ['Bash'], model: 'scripted' }),
      JSON.stringify({
        ...{ type: 'result', subtype: 'success', is_error: false, session_id: 's', num_turns: 1, duration_ms: 1 },
        ...{ result: 'I was not allowed to install anything.', permission_denials: [denial], usage: {} },
      }),
    )
  },
}

scenarios[scenario]()
