const TAG = /<\s*\/?\s*promise\s*>/gi
const TOKEN =
  /\b(EXIT_STATUS|EXIT_SIGNAL|PHASE_COMPLETE|COMPLETION_STATUS|STATUS)["'*_`~\s]*[:：=]["'*_`~\s]*(COMPLETED?|TRUE)\b/gi
/** Most texts have none of these, and searching for a token takes much longer. */
const UNUSUAL_SPACE = /[^\S ]| {2}/
const ASSIGNS = /[:：=]/

/**
 * Text that is safe in the agent's next prompt. Details quote test names, plan items and the agent's own output. None of them may
 * come back to the agent as a completion token.
 */
export function plainWords(text: string): string {
  const spaced = UNUSUAL_SPACE.test(text) ? text.replace(/\s+/g, ' ') : text
  const untagged = spaced.includes('<') ? spaced.replace(TAG, ' ') : spaced
  const plain = ASSIGNS.test(untagged) ? untagged.replace(TOKEN, '$1 $2') : untagged
  return (untagged === spaced ? plain : plain.replace(/ {2,}/g, ' ')).trim()
}
