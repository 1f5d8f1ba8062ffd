import { fieldOf, itemOf } from './fields.ts'
import type { Line } from './lines.ts'

/** Blocks that are shown, not said: samples, instructions, output of commands. */

/** The last line with words outside every block: whatever begins after it closes the message. */
export function lastProse(lines: readonly Line[], held: ReadonlySet<number>): number {
  return lines.findLastIndex(
    ({ text, blank, fence }, index) =>
      !blank && !fence && !held.has(index) && /[A-Za-z0-9\u00aa-\ud7ff]/.test(text) && !isStatusLine(text),
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

/** A further field of a status does not turn the end of a message into its middle; a `NOTE:` does. */
function isStatusLine(text: string): boolean {
  const key = fieldOf(text)?.key
  return key !== undefined && (STATUS_KEYS.has(key) || /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(key))
}

/** Whether the lines `at` to `end` only show a block; `closes` says that no words come after it. */
export function isQuotedBlock(lines: readonly Line[], at: number, end: number, closes: boolean): boolean {
  const fenced = lines.slice(at, end + 1).some(({ standing }) => standing === 'fenced')
  if (fenced && (!closes || isTerminal(lines, at))) return true
  return isAnnounced(lines, at) || isMidSentence(lines, at, end) || isUnderItem(lines, at) || isPlanned(lines, at)
}

function wordsBefore(lines: readonly Line[], at: number): Line | undefined {
  let index = at - 1
  while (lines[index]?.blank || lines[index]?.fence) index -= 1
  return lines[index]
}

const COMMAND = /^\s*(?:\$|❯|>>>|PS>|%)\s/

/** A fence with a command in it shows what the command printed. */
function isTerminal(lines: readonly Line[], at: number): boolean {
  for (let index = at - 1; index >= 0; index -= 1) {
    const line = lines[index]
    if (line?.standing !== 'fenced' && line?.standing !== 'quoted') return false
    if (line.fence) return false
    if (COMMAND.test(line.text)) return true
  }
  return false
}

const SAMPLE =
  /\b(?:e\.g\.|for instance|samples?|(?<!\bfollowing the )examples?|would (?:print|output|write|emit|look|read)|not (?:\w+ ){0,3}yet|if (?:everything|all))\b/i
const CONDITION =
  /\b(?:do not|don['’]t|never|not yet|until|unless|once|if|when|after|(?:told|asked|instructed|supposed|expected|required) to)\b/i
const TELLING = /\b(?:print|output|write|report|emit|say|end|finish|respond|reply)\b/i

/** `An example:` or `Once the suite is green, print:` before a block says whose block it is. */
function isAnnounced(lines: readonly Line[], at: number): boolean {
  const before = wordsBefore(lines, at)?.text.slice(-300) ?? ''
  if (!/[:：][*_\s]*$/.test(before)) return false
  const sentence = before.split(/[.!?]\s/).at(-1) ?? ''
  return SAMPLE.test(sentence) || (CONDITION.test(sentence) && TELLING.test(sentence))
}

const GOES_ON = /^\s*(?:before|until|unless|when|once|if|after|as (?:soon|long) as)\b/

/** `I print` / `EXIT_STATUS: COMPLETE` / `when the suite is green`: one sentence on three lines. */
function isMidSentence(lines: readonly Line[], at: number, end: number): boolean {
  const before = wordsBefore(lines, at)
  const after = lines.slice(end + 1).find(({ blank, fence }) => !blank && !fence)
  if (before?.standing !== 'own' || after?.standing !== 'own' || fieldOf(before.text)) return false
  // With blank lines around it, small letters are not enough: some write nothing else.
  const together = before === lines[at - 1] && after === lines[end + 1]
  const goesOn = together ? /^\s*[a-z\u00df-\u00ff]/ : GOES_ON
  return /[A-Za-z,\u00c0-\ud7ff]\s*$/.test(before.text) && goesOn.test(after.text)
}

/** Deeper than the item of a list before it: part of that item, and so of a plan or an instruction. */
function isUnderItem(lines: readonly Line[], at: number): boolean {
  const line = lines[at]
  const before = wordsBefore(lines, at)
  if (!line || !before || fieldOf(before.text)?.value) return false
  return line.standing === 'own' && itemOf(before.text) !== undefined && line.indent > before.indent
}

const TO_COME = /\b(?:next(?: steps?)?|remaining|to-?dos?|(?:left|still) to do|upcoming|plan)\W*$/i

/** An item of a list of what is still to come: printing the block is its last step. */
function isPlanned(lines: readonly Line[], at: number): boolean {
  const isItem = (line: Line | undefined) => line !== undefined && itemOf(line.text) !== undefined
  if (!isItem(lines[at])) return false
  let index = at - 1
  while (lines[index]?.blank || isItem(lines[index])) index -= 1
  const title = lines[index]?.text ?? ''
  return TO_COME.test(title) && /^\s*#|[:：][*_\s]*$/.test(title)
}
