// How an agent reports that it is done or not, one form per kind of system.

/** The forms of a claim, each with the text for yes and for no. */
const FORMS = {
  'exit-status': {
    yes: () => 'EXIT_STATUS: COMPLETE\nEXIT_REASON: Everything that was asked for is there.\nREMAINING_WORK: none',
    no: (left) => `EXIT_STATUS: CONTINUE\nEXIT_REASON: The work goes on.\nREMAINING_WORK: ${left}`,
  },
  promise: { yes: () => '<promise>COMPLETE</promise>', no: () => '' },
  ralph: { yes: () => ralph('COMPLETE', true), no: () => ralph('IN_PROGRESS', false) },
  doyaken: { yes: () => doyaken(true, 'none'), no: (left) => doyaken(false, left) },
  prp: { yes: (phase) => prp(phase, 'COMPLETE', true), no: (_left, phase) => prp(phase, 'IN_PROGRESS', false) },
}

/** For presets where a ticked box is the claim: a plan with one item, unless the scenario has its own. */
export const PLANS = {
  blackbox: { path: '.ralph/@fix_plan.md', text: '- [ ] The work that PROMPT.md asks for\n' },
  gsd: { path: '.planning/ROADMAP.md', text: '- [ ] 01-01-PLAN.md: the work that PROMPT.md asks for\n' },
}

/** The scenario with that plan in its repository. */
export function withPlan(scenario, preset) {
  const plan = PLANS[preset]
  if (plan === undefined || scenario.plan !== undefined) return scenario
  return { ...scenario, files: { ...scenario.files, [plan.path]: plan.text } }
}

/** The forms the agent uses for a system, as that system's own prompt requires. */
const VOICES = {
  default: ['exit-status', 'promise'],
  ralph: ['ralph', 'promise'],
  doyaken: ['doyaken'],
  prp: ['prp'],
}

const formsOf = (voice, only) => (only === undefined ? (VOICES[voice] ?? VOICES.default) : [only].flat())

export const claimText = ({ voice, only, phase }) =>
  formsOf(voice, only)
    .map((form) => FORMS[form].yes(phase))
    .join('\n\n')

export const notDoneText = ({ voice, only, phase, remaining }) =>
  formsOf(voice, only)
    .map((form) => FORMS[form].no(remaining, phase))
    .filter((text) => text !== '')
    .join('\n\n')

const ralph = (status, signal) => `---RALPH_STATUS---
STATUS: ${status}
TASKS_COMPLETED_THIS_LOOP: 1
FILES_MODIFIED: 1
TESTS_STATUS: ${signal ? 'PASSING' : 'NOT_RUN'}
WORK_TYPE: IMPLEMENTATION
EXIT_SIGNAL: ${signal}
RECOMMENDATION: ${signal ? 'Nothing is left to do.' : 'Go on.'}
---END_RALPH_STATUS---`

// Its prompt requires a summary of the work, and it looks for these phrases.
const doyaken = (complete, left) => `${complete ? 'All tasks are completed.\n\n' : ''}DOYAKEN_STATUS:
  PHASE_COMPLETE: ${complete}
  FILES_MODIFIED: 1
  TESTS_STATUS: ${complete ? 'pass' : 'unknown'}
  CONFIDENCE: ${complete ? 'high' : 'medium'}
  REMAINING_WORK: ${left}`

const prp = (phase = 'GREEN', status, signal) => `---PRP_PHASE_STATUS---
PHASE: ${phase}
STATUS: ${status}
PROGRESS_PERCENT: ${signal ? 100 : 50}
${phase === 'REFACTOR' ? `REFACTORING_COMPLETE: ${signal}\nNO_IMPROVEMENTS: ${signal}\n` : ''}EXIT_SIGNAL: ${signal}
RECOMMENDATION: ${signal ? 'Nothing is left to do.' : 'Go on.'}
---END_PRP_PHASE_STATUS---`
