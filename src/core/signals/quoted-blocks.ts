import { fieldOf, listItemText } from './fields.ts'
import type { Line } from './lines.ts'

/** Detects blocks that are only shown: samples, instructions, output of commands. */

/** The last line with text outside every block. A block that starts after it ends the message. */
export function lastTextLine(lines: readonly Line[], held: ReadonlySet<number>): number {
  return lines.findLastIndex(
    ({ text }, index) => !held.has(index) && /[A-Za-z0-9\u00aa-\ud7ff]/.test(text) && !isStatusLine(text),
  )
}

const STATUS_KEYS = new Set([
  'STATUS',
  'PHASE',
  'TASK',
  'CONFIDENCE',
  'RECOMMENDATION',
  'REASON',
  'BLOCKERS',
  'VERDICT',
])

/** Another status field doesn't count as text after the block, but a `NOTE:` does. */
function isStatusLine(text: string): boolean {
  const key = fieldOf(text)?.key ?? ''
  return STATUS_KEYS.has(key) || /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(key)
}

/** Whether lines `at` to `end` only show a block. `closes` means that no text follows. */
export function isQuotedBlock(lines: readonly Line[], at: number, end: number, closes: boolean): boolean {
  const fenced = lines.slice(at, end + 1).some(({ kind }) => kind === 'fenced')
  if (fenced && (isTerminal(lines, at) || isFile(lines, at) || (!closes && isShownInFence(lines, at, end)))) return true
  return isAnnounced(lines, at) || isMidSentence(lines, at, end) || isInListItem(lines, at) || isPlanned(lines, at)
}

function textBefore(lines: readonly Line[], at: number): Line | undefined {
  let index = at - 1
  while (lines[index]?.blank || lines[index]?.fence) index -= 1
  return lines[index]
}

const COMMAND = /^\s*(?:\$|❯|>>>|PS>|%)\s/

/** A fence with a command in it shows the output of that command. */
function isTerminal(lines: readonly Line[], at: number): boolean {
  const before = lines.slice(0, at)
  const outside = before.findLastIndex(({ kind, fence }) => fence || (kind !== 'fenced' && kind !== 'quoted'))
  return before.slice(outside + 1).some(({ text }) => COMMAND.test(text))
}

const FILE_BEFORE =
  /\b(?:add(?:ed|s|ing)?|creat(?:ed|es|ing)|wrote|writ(?:es|ing|ten)|new|updated|saved?|contents?|contains?|now reads|fixtures?)\b.*[\w)/-]\.[A-Za-z]\w{0,7}["'`*_)]*(?: \([^()]*\))?(?:,? (?:now )?(?:contains?|reads|with|holds|as|says|is|which|that)\b[^.]*)?[:：][*_\s]*$/i
/** `The fixture looks like this:`, `It has this content:`, and a line that is only the path of a file. */
const CONTENT_BEFORE =
  /\bfixtures?(?: (?:file )?(?:is|has|contains?|with|reads|looks like)\b[^.]*)?[:：][*_\s]*$|\blooks? like this[:：][*_\s]*$|\b(?:this|the following|its) (?:contents?|messages?|text|input|file)[:：][*_\s]*$|^\W*[\w.-]+(?:\/[\w.-]+)+\.[A-Za-z]\w{0,7}\W*$/i
const FILE_IN_FENCE = /^\W*\w*[\s{:]+.*\b(?:title|file(?:name)?|path)\s*=|^\W*[\w:]*[\w.-]+\/[\w./-]+\.\w+\s*$/i

/** `Added tests/fixtures/done.txt:` before a fence: it shows the content of that file. */
function isFile(lines: readonly Line[], at: number): boolean {
  const opening = lines.slice(0, at + 1).findLastIndex(({ fence }) => fence)
  if (opening < 0) return false
  const sentence =
    textBefore(lines, opening)
      ?.text.slice(-300)
      .split(/[.!?]\s/)
      .at(-1) ?? ''
  return FILE_BEFORE.test(sentence) || CONTENT_BEFORE.test(sentence) || FILE_IN_FENCE.test(lines[opening]!.text)
}

/** The sentence around a block is about a text that the agent only shows. */
const EXAMPLE =
  /\b(?:formats?|templates?|samples?|examples?|e\.g\.|placeholders?|instructions?|prompts?|syntax|protocol|snippet|looks? like|how it looks|would (?:print|output|write|emit|look|read)|(?:last|previous|other) (?:agent|iteration|loop|run|session)|not yet|once|until|unless)\b/i
/** `the log says:` before a block. Without the colon, such words are part of a report. */
const SOURCE =
  /\b(?:docs?|documentation|README|spec(?:s|ification)?|logs?|files?|tags?|markers?|printed|prints|said|says|wrote|contains?|contained|expects?|requires?|quot(?:e[ds]?|ing)|found|do not|don['’]t|did not|didn['’]t|never|if|when)\b/i
/** `My last message will look like this:` before a block. Without the colon, such words are about the work. */
const LATER = /\b(?:will|shall|going to)\b|['’]ll\b/i
/** `That is how it looks.` or `Before that, the range must be checked.` after a block. */
const REFERS_BACK =
  /^\W*(?:(?:note|nb|ps)\b\W*)?(?:before (?:that|this|then)\b.*\b(?:must|needs? to|ha(?:s|ve) to|should|will|remains?)\b|(?:(?:that|this|it|(?:the )?(?:block )?above)\W+(?:is|was|would|means|shows?)\b|that['’]s|this['’]s).*\b(?:how|what|tag|block|line|file|text|output|marker|from)\b|(?:is|was|are|were|means)\b)/i

/**
 * A block in a fence with text after it. It counts unless the text around it shows it as an example or a quotation, or it shares the
 * fence with other text.
 */
function isShownInFence(lines: readonly Line[], at: number, end: number): boolean {
  const opening = lines.slice(0, at + 1).findLastIndex(({ fence }) => fence)
  const closing = lines.findIndex(({ fence }, index) => index > end && fence)
  if (opening < 0 || closing < 0) return true
  const alone = (from: number, to: number) =>
    lines.slice(from, to).every(({ text, blank }) => blank || isStatusLine(text))
  if (!alone(opening + 1, at) || !alone(end + 1, closing)) return true
  const before = textBefore(lines, opening)?.text.slice(-300) ?? ''
  const sentence = before.split(/[.!?]\s/).at(-1) ?? ''
  if (lines[opening]!.indent > 0 || EXAMPLE.test(sentence)) return true
  if (/[:：][*_\s]*$/.test(sentence) && (SOURCE.test(sentence) || LATER.test(sentence))) return true
  const after = lines.slice(closing + 1).find(({ blank, fence }) => !blank && !fence)?.text ?? ''
  // `The form is` / the block / `and I will use it later.`
  if (/[A-Za-z,]\s*$/.test(before) && /^\s*[a-z]/.test(after)) return true
  const reply = after.split(/[.!?]\s/)[0] ?? ''
  return REFERS_BACK.test(reply) || (!/^\s*#/.test(reply) && EXAMPLE.test(reply))
}

const SAMPLE =
  /\b(?:e\.g\.|for instance|samples?|(?<!\bfollowing the )examples?|would (?:print|output|write|emit|look|read)|not (?:\w+ ){0,3}yet|if (?:everything|all))\b/i
const CONDITION =
  /\b(?:do not|don['’]t|never|not yet|until|unless|once|if|when|after|(?:told|asked|instructed|supposed|expected|required) to)\b/i
const ANNOUNCING = /\b(?:print|output|write|report|emit|say|end|finish|respond|reply)\b/i

/** `An example:` or `Once the suite is green, print:` before a block means that it isn't a statement. */
function isAnnounced(lines: readonly Line[], at: number): boolean {
  const before = textBefore(lines, at)?.text.slice(-300) ?? ''
  if (!/[:：][*_\s]*$/.test(before)) return false
  const sentence = before.split(/[.!?]\s/).at(-1) ?? ''
  return SAMPLE.test(sentence) || (CONDITION.test(sentence) && ANNOUNCING.test(sentence))
}

const CONTINUES_SENTENCE = /^\s*(?:before|until|unless|when|once|if|after|but|as (?:soon|long) as)\b/

/** `I print` / `EXIT_STATUS: COMPLETE` / `when the suite is green`: one sentence on three lines. */
function isMidSentence(lines: readonly Line[], at: number, end: number): boolean {
  const before = textBefore(lines, at)
  const after = lines.slice(end + 1).find(({ blank, fence }) => !blank && !fence)
  if (before?.kind !== 'own' || after?.kind !== 'own' || fieldOf(before.text)) return false
  // With blank lines around it, a lower-case start isn't enough: some agents write only lower case.
  const together = before === lines[at - 1] && after === lines[end + 1]
  const goesOn = together ? /^\s*[a-z\u00df-\u00ff]/ : CONTINUES_SENTENCE
  return /[A-Za-z,\u00c0-\ud7ff]\s*$/.test(before.text) && goesOn.test(after.text)
}

/** Deeper than the list item before it, so part of that item, and so of a plan or an instruction. */
function isInListItem(lines: readonly Line[], at: number): boolean {
  const line = lines[at]
  const before = textBefore(lines, at)
  if (!line || !before || fieldOf(before.text)?.value) return false
  return line.kind === 'own' && listItemText(before.text) !== undefined && line.indent > before.indent
}

const FUTURE_STEPS = /\b(?:next(?: steps?)?|remaining|to-?dos?|(?:left|still) to do|upcoming|plan)\W*$/i

/** An item in a list of future steps, where printing the block is the last step. */
function isPlanned(lines: readonly Line[], at: number): boolean {
  const isItem = (line: Line | undefined) => line !== undefined && listItemText(line.text) !== undefined
  if (!isItem(lines[at])) return false
  let index = at - 1
  while (lines[index]?.blank || isItem(lines[index])) index -= 1
  const title = lines[index]?.text ?? ''
  return FUTURE_STEPS.test(title) && /^\s*#|[:：][*_\s]*$/.test(title)
}
