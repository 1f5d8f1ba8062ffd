/** What is added to the prompt so that the agent states its key. Placeholders only: an echo of it is never a claim. */
export const completionProtocol = `## Completion Protocol

Before you end your turn, decide honestly whether anything of the task is left:
1. Every acceptance criterion is met and you have checked it.
2. The tests run and pass, and you have neither removed, skipped nor weakened any of them.
3. You have gone through everything that was asked for.

Then close your final message with these lines, one value each, outside any code fence:

EXIT_STATUS: {COMPLETE|CONTINUE}
EXIT_REASON: {one sentence}
REMAINING_WORK: {none|what is left}

Write CONTINUE whenever anything is left. Your statement is checked against the project itself.
`
