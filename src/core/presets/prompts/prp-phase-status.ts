/** What is added to the prompt so that the agent prints its phase block. Placeholders only: an echo of it is never a claim. */
export const prpPhaseStatus = `## Phase status

Work on the phase you were given and on no other:
- RED: write at least one test for every acceptance criterion; each of them has to fail for the right reason. No implementation yet.
- GREEN: make the tests pass without touching, skipping or weakening them. One lucky run does not count.
- REFACTOR: improve the code while the tests stay green. Report when nothing is left to improve.
- DOCUMENT: write the ADR, the C4 diagrams and the other documents; every diagram has to parse.
- QA: review the work against the criteria and name what blocks.

End your final message with this block, delimiters alone on their lines, one value each, outside any code fence:

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

REFACTORING_COMPLETE: true|false
NO_IMPROVEMENTS: true|false
EXIT_SIGNAL: true|false
RECOMMENDATION: <one line>
---END_PRP_PHASE_STATUS---

EXIT_SIGNAL is your own judgement that nothing of the phase is left. Do not derive it from the test results: those are gathered apart from you.
Leave REFACTORING_COMPLETE and NO_IMPROVEMENTS out in every phase but REFACTOR.
`
