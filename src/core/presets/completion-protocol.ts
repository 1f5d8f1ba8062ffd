/** Tells the agent how to report. It contains only placeholders, so an echo of it is never a claim. */
export const completionProtocol = `## How to report

Before you end your turn, check three things:
1. Nothing of the task is left.
2. The tests pass. You ran them after your last change.
3. You didn't delete, skip or weaken a test.

End your final message with these three lines. Write one value per line, outside code fences:

EXIT_STATUS: {COMPLETE|CONTINUE}
EXIT_REASON: {one sentence}
REMAINING_WORK: {none|what is left}

If anything is left, report CONTINUE and list it in REMAINING_WORK.
exitgate then runs its own checks on the project. It rejects a COMPLETE that the checks don't confirm.
`

export const exitStatusReport = { done: 'Report COMPLETE', notDone: 'report CONTINUE' }
