const TAG = /<\s*\/?\s*promise\s*>/gi
const TOKEN =
  /\b(EXIT_STATUS|EXIT_SIGNAL|PHASE_COMPLETE|COMPLETION_STATUS|STATUS)["'*_`~\s]*[:：=]["'*_`~\s]*(COMPLETED?|TRUE)\b/gi

/**
 * Text that is safe in the agent's next prompt. Details quote test names, plan items and the agent's own output. None of them may
 * come back to the agent as a completion token.
 */
export function plainWords(text: string): string {
  return text.replace(/\s+/g, ' ').replace(TAG, ' ').replace(TOKEN, '$1 $2').replace(/ {2,}/g, ' ').trim()
}
