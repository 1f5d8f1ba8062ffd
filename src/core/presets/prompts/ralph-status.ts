/** What is added to the prompt so that the agent prints its status block. Placeholders only: an echo of it is never a claim. */
export const ralphStatus = `## Status block

End your final message with this block, one value each, outside any code fence:

---RALPH_STATUS---
STATUS: IN_PROGRESS|COMPLETE|BLOCKED
TASKS_COMPLETED_THIS_LOOP: <number>
FILES_MODIFIED: <number>
TESTS_STATUS: PASSING|FAILING|NOT_RUN
WORK_TYPE: IMPLEMENTATION|TESTING|DOCUMENTATION|REFACTORING
EXIT_SIGNAL: false|true
RECOMMENDATION: <one line on what comes next>
---END_RALPH_STATUS---

Tick items of the plan as you finish them. EXIT_SIGNAL is true only when every required item is ticked and nothing is left.
`
