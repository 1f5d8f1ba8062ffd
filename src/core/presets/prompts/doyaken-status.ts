/** What is added to the prompt so that the agent prints its status block. Placeholders only: an echo of it is never a claim. */
export const doyakenStatus = `## Status block

End your final message with this block, fields indented by two spaces, one value each, outside any code fence:

DOYAKEN_STATUS:
  PHASE_COMPLETE: true/false
  FILES_MODIFIED: <count>
  TESTS_STATUS: pass/fail/skip/unknown
  CONFIDENCE: high/medium/low
  REMAINING_WORK: <brief description or "none">

Say true for PHASE_COMPLETE only when nothing of the phase is left, and say in your message what you have achieved.
`
