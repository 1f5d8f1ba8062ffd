/** What is added to the prompt so that the agent prints its phase block. Placeholders only: an echo of it is never a claim. */
export const prpPhaseStatus = `## Phase status

End your final message with this block, delimiters alone on their lines, outside any code fence:

---PRP_PHASE_STATUS---
TIMESTAMP: <ISO-8601>
PHASE: RED|GREEN|REFACTOR|DOCUMENT|QA
STATUS: IN_PROGRESS|BLOCKED|COMPLETE
ITERATION: <number>
PROGRESS_PERCENT: <0-100>

TESTS:
  TOTAL: <number>
  PASSING: <number>
  FAILING: <number>
  SKIPPED: <number>

FILES:
  CREATED: <number>
  MODIFIED: <number>
  DELETED: <number>

BLOCKERS:
  - <none, or what blocks you>

EXIT_SIGNAL: true|false
RECOMMENDATION: <one line>
---END_PRP_PHASE_STATUS---

EXIT_SIGNAL is your own judgement that the phase is finished. Do not derive it from the test results: those are gathered apart from you.
`
