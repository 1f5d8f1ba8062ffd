const TAG = /<\s*\/?\s*promise\s*>/gi
const TOKEN =
  /\b(EXIT_STATUS|EXIT_SIGNAL|PHASE_COMPLETE|COMPLETION_STATUS|STATUS)["'*_`~\s]*[:：=]["'*_`~\s]*(COMPLETED?|TRUE)\b/gi

/**
 * A sentence fit for the agent's next prompt. Details quote test names, plan items and the agent's own words; none of
 * them may come back to the agent as a line or a token that says "done".
 */
export function plainWords(text: string): string {
  return text.replace(/\s+/g, ' ').replace(TAG, ' ').replace(TOKEN, '$1 $2').replace(/ {2,}/g, ' ').trim()
}
