/**
 * How to tell whether a phrase is meant. English only.
 *
 * A `fact` is cancelled by a "not", a condition, a wish or a question. A mentioned `trouble` counts unless it is negated. A `certainty`
 * is cancelled by a "not" right before it. A `tag` must be on its own, not in a sentence. A `mention` always counts.
 */
export type PhraseKind = 'fact' | 'trouble' | 'certainty' | 'tag' | 'mention'

export function isAsserted(pattern: RegExp, weighing: PhraseKind, sentence: string): boolean {
  for (const match of matchesOf(pattern, sentence)) {
    const before = sentence.slice(0, match.index)
    const after = sentence.slice(match.index + match[0].length)
    if (holds[weighing](match[0], before, after)) return true
  }
  return false
}

/** The global pattern is compiled only if the first occurrence isn't meant, which is rare. */
function* matchesOf(pattern: RegExp, sentence: string): Generator<RegExpExecArray> {
  const first = pattern.exec(sentence)
  if (first === null) return
  yield first
  const everywhere = new RegExp(pattern.source, 'gi')
  everywhere.lastIndex = first.index + first[0].length
  for (let next = everywhere.exec(sentence); next !== null; next = everywhere.exec(sentence)) yield next
}

const NOT = String.raw`\b(?:not(?! only\b)|never|cannot|cant|dont|doesnt|didnt|isnt|arent|wasnt|hasnt|havent|wont|hardly|barely|neither|nor|yet to|far from|nowhere near|unable to|fail(?:s|ed|ing)? to|instead of|rather than)\b|n['’]t\b`
const NONE = String.raw`\b(?:no(?! doubt\b)|none|nothing|nobody|without|lacks?|lacking)\b`
const negator = new RegExp(`${NOT}|${NONE}`, 'i')
const negatorInside = new RegExp(`${NOT}|\\b(?:incomplete|unfinished|except|but)\\b`, 'i')
const negatorClose = new RegExp(`(?:${NOT})(?:\\s+[\\w%'’-]+){0,3}\\s*$`, 'i')
const zero = /(?:^|[\s(:])(?:0|zero)\s+(?:of\s+)?(?:[\w/]+\s+){0,3}$/i

/** Start of a new clause. A "not" before it belongs to the previous clause. */
const CLAUSE =
  /[,;:()[\]—–|]|\s-\s|\b(?:but|however|although|though|because|since|while|whereas|therefore|thus|hence|then)\b|\b(?:and|so)(?= (?:the|it|its|all|this|that|these|i|we|everything|implementation|tests?|tasks?|project|build|no)\b)/gi
const PAUSE = /[,;:()[\]—–|]|\s-\s|\bbut\b/g

const IF = /\b(?:if|unless|assuming|provided|whether|in case|suppose)\b/i
const WHEN = /\b(?:once|when|whenever|until|till|after|before|as soon as|by the time)\b/i
/** A wish, an obligation or a prediction right before the phrase. */
const NOT_YET =
  /(?:\b(?:will|would|shall|should|must|may|might|could|can|to|gets?|almost|nearly|partially|partly|mostly|largely|half|halfway|quite|in)|['’]ll|\b\d{1,2}(?:\.\d+)?\s?%)[\s-]+(?:(?:be|been|have|has|get|soon|now|then|also|eventually|fully|to)\s+)*$/i
const INTENT =
  /\b(?:ensur(?:e|es|ing)|verify(?:ing)?|check(?:s|ing)?|confirm(?:s|ing)?|mak(?:e|es|ing) sure|needs?|wants?|expects?|hopes?|requires?)\s+(?:that\s+|if\s+|whether\s+)?$|\bmark\b[^,;]{0,60}$/i
const NOT_YET_INSIDE =
  /\b(?:will|would|shall|should|must|may|might|could|can|needs?|to be|to get|almost|nearly|partially|partly|mostly|half|if|unless|once|when|until)\b|['’]ll\b|(?<!\d)\d{1,2}(?:\.\d+)?\s?%/i
const EXCEPT =
  /^[^.!?;]{0,60}?\b(?:except|excluding|apart from|aside from|other than|with the exception)\b|^,? but (?:not|one|two|three|for)\b/i
const SOME_FAIL = /(?<![\d.])[1-9]\d*\s+(?:tests?\s+)?(?:fail\w*|error\w*|broken)\b/i
const PART = /(\d+)\s*(?:of|\/|out of)\s*(?:the\s+)?(\d+)\s*$/i

const holds: Readonly<Record<PhraseKind, (match: string, before: string, after: string) => boolean>> = {
  mention: () => true,
  tag: (_match, before, after) => !/\w/.test(before) && !/\w/.test(after),
  certainty: (_match, before) => before.length < SHORTEST || !negatorClose.test(before),
  trouble: (_match, before, after) => {
    const clause = lastClause(before, CLAUSE)
    return (
      !negator.test(clause) &&
      !/\b(?:zero|0)\b/.test(clause) &&
      !/^(?:\s*(?:count|found)?\s*[:=]\s*(?:0|none|no)\b|-free\b)/i.test(after)
    )
  },
  fact: (match, before, after) => {
    if (after.endsWith('?')) return false
    // The words between the first and the last word of the phrase.
    const inside = /\s/.test(match) ? match.replace(/^\S+\s?|\S+$/g, '') : ''
    if (negatedBefore(before) || negatedInside(inside)) return false
    if (after.length >= SHORTEST && EXCEPT.test(after)) return false
    return !(/^tests?\b/i.test(match) && SOME_FAIL.test(before + inside + after))
  },
}

/** "no" is the shortest negation. Shorter text needs no pattern. */
const SHORTEST = 2

function negatedBefore(before: string): boolean {
  if (before.length < SHORTEST) return false
  const clause = lastClause(before, CLAUSE)
  if (negator.test(clause) || zero.test(clause)) return true
  if (IF.test(before) || WHEN.test(lastClause(before, PAUSE))) return true
  // An open checklist item describes work that is still to do.
  if (before.includes('[ ]')) return true
  return NOT_YET.test(before) || INTENT.test(before) || isPart(before)
}

function negatedInside(inside: string): boolean {
  return inside.length >= SHORTEST && (negatorInside.test(inside) || NOT_YET_INSIDE.test(inside))
}

function lastClause(before: string, boundary: RegExp): string {
  let start = 0
  for (const match of before.matchAll(boundary)) start = match.index + match[0].length
  return before.slice(start)
}

/** `3 of 5 tasks` doesn't mean all tasks. */
function isPart(before: string): boolean {
  const part = PART.exec(before)
  return part !== null && part[1] !== part[2]
}
