/** One of these stands in every sentence that could claim completion: most lines have none, and need no closer look. */
const LITERALS =
  /pass|green|succe|complete|done|finish|implement|fixed|resolved|solved|met\b|work|in place|ready|gone|added|built|wr(?:ote|itten)|nothing|no /i

/** One of these words stands in every block of every dialect. */
const MAY_BE_A_BLOCK = /status|signal|promise|remaining|phase_/i

/** Whether a look at the sentences of a text is worth it. */
export const mayClaimInWords = (text: string): boolean => LITERALS.test(text)

/** Whether a message may say anything about being done. Most do not, and reading them would take longer than the rest of the hook. */
export const mayClaim = (message: string): boolean => MAY_BE_A_BLOCK.test(message) || mayClaimInWords(message)
