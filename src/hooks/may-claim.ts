/** Every sentence that could claim completion contains one of these. Most lines contain none, and are skipped. */
const LITERALS =
  /pass|green|succe|complete|done|finish|implement|fixed|resolved|solved|met\b|work|in place|ready|gone|added|built|wr(?:ote|itten)|nothing|no /i

/** Every status block of every dialect contains one of these words. */
const MAY_BE_A_BLOCK = /status|signal|promise|remaining|phase_/i

/** A quick test before the sentences are read. */
export const mayClaimInWords = (text: string): boolean => LITERALS.test(text)

/** Whether a message may claim completion. Most don't, and reading them would take longer than the rest of the hook. */
export const mayClaim = (message: string): boolean => MAY_BE_A_BLOCK.test(message) || mayClaimInWords(message)
