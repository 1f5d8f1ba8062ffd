import { stands, type Weighing } from './negation.ts'
import { sentencesOf } from './sentences.ts'

/**
 * Phrases that hint at something: that the work is finished, how sure the agent is, that it asks. Hints only; in the
 * `default` preset they open nothing. English only: negation in German, Spanish or French is out of scope, and so are
 * the phrases themselves.
 */
export interface Phrase {
  /** `group:name`, as the presets know it. */
  readonly name: string
  readonly group: string
  readonly pattern: RegExp
  /** Lower-case; at least one stands in every lower-cased line that matches. The filter for huge files. */
  readonly literals: readonly string[]
  readonly weighing: Weighing
}

type Row = readonly [name: string, pattern: RegExp, ...literals: string[]]

// A gap between two words of a phrase stays inside one sentence and is short, so that matching stays linear.
const TABLE: readonly { readonly group: string; readonly weighing: Weighing; readonly rows: readonly Row[] }[] = [
  {
    group: 'cub',
    weighing: 'tag',
    rows: [['promise', /<promise>\s*complete\s*<\/promise>/gi, '<promise>']],
  },
  {
    group: 'cub',
    weighing: 'fact',
    rows: [
      ['all-tasks-completed', /\ball tasks\b.{0,80}?\bcompleted?\b/gi, 'complete'],
      ['implementation-finished', /\bimplementation\b.{0,80}?\bfinished\b/gi, 'finished'],
      ['ready-for-review', /\bready for review\b/gi, 'ready for review'],
      ['no-remaining-work', /\bno remaining work\b/gi, 'no remaining work'],
      ['criteria-met', /\ball acceptance criteria\b.{0,80}?\bmet\b/gi, 'acceptance criteria'],
    ],
  },
  {
    group: 'doyaken',
    weighing: 'fact',
    rows: [
      ['all-complete', /\ball\b.{0,80}?\bcompleted?\b/gi, 'complete'],
      ['implementation-finished', /\bimplementation\b.{0,80}?\bfinished\b/gi, 'finished'],
      ['task-done', /\btasks?\b.{0,80}?\bdone\b/gi, 'done'],
      ['tests-passing', /\btests?\b.{0,80}?\bpass(?:ing|ed)\b/gi, 'passing', 'passed'],
      [
        'successfully-completed',
        /\bsuccessfully\b.{0,80}?(?<!\b(?:a|an|the) )\bcomplet(?:e|ed|es|ing|ion)\b/gi,
        'successfully',
      ],
    ],
  },
  {
    group: 'ralph-done',
    weighing: 'fact',
    rows: [
      ['done', /(?<!["'“(-])\bdone\b(?![[(<=-])/gi, 'done'],
      ['complete', /(?<!-|\b(?:a|an|the|your|my|our) )\bcompleted?\b(?!<|-)/gi, 'complete'],
      ['finished', /(?<!-|\b(?:a|an|the) )\bfinished\b(?!<)/gi, 'finished'],
      ['all-tasks-complete', /\ball tasks (?:(?:are|were|have been|is|now) ){0,2}completed?\b/gi, 'complete'],
      ['project-complete', /\bproject (?:(?:is|was|has been|now) ){0,2}completed?\b/gi, 'complete'],
      ['ready-for-review', /\bready for review\b/gi, 'ready for review'],
    ],
  },
  {
    group: 'ralph-idle',
    weighing: 'fact',
    rows: [
      ['nothing-to-do', /\bnothing (?:left )?to do\b(?! with)/gi, 'nothing to do', 'nothing left to do'],
      [
        'no-changes',
        /\bno (?:code |file |further |more )?changes\b/gi,
        'no changes',
        'no code changes',
        'no file changes',
        'no further changes',
        'no more changes',
      ],
      ['already-implemented', /\balready (?:been )?(?:fully )?implemented\b/gi, 'implemented'],
      ['up-to-date', /\bup[ -]to[ -]date\b/gi, 'to date', 'to-date'],
    ],
  },
  {
    group: 'sure',
    weighing: 'certainty',
    rows: [
      ['confident', /\bconfident\b/gi, 'confident'],
      ['sure', /(?<!\b(?:make|makes|making|made|be) )\bsure\b/gi, 'sure'],
      ['certainly', /\bcertainly\b/gi, 'certainly'],
      ['absolutely', /\babsolutely\b/gi, 'absolutely'],
      ['undoubtedly', /\bundoubtedly\b/gi, 'undoubtedly'],
      ['ensured', /\bensured\b/gi, 'ensured'],
    ],
  },
  {
    group: 'likely',
    weighing: 'certainty',
    rows: [
      ['likely', /\blikely\b/gi, 'likely'],
      ['probably', /\bprobably\b/gi, 'probably'],
    ],
  },
  {
    group: 'unsure',
    weighing: 'mention',
    rows: [
      ['not-sure', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} sure\b/gi, 'sure'],
      ['not-confident', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} confident\b/gi, 'confident'],
      ['not-certain', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} certain\b/gi, 'certain'],
      ['unsure', /\bunsure\b/gi, 'unsure'],
      ['uncertain', /\buncertain\b/gi, 'uncertain'],
    ],
  },
  {
    group: 'hedge',
    weighing: 'mention',
    rows: [
      ['maybe', /\bmaybe\b/gi, 'maybe'],
      ['might', /\bmight\b/gi, 'might'],
      ['could', /\bcould\b(?! not\b)/gi, 'could'],
      ['approximately', /\bapproximately\b/gi, 'approximately'],
      ['roughly', /\broughly\b/gi, 'roughly'],
      ['basically', /\bbasically\b/gi, 'basically'],
      ['i-think', /\bi think\b/gi, 'i think'],
    ],
  },
  {
    group: 'certain',
    weighing: 'certainty',
    rows: [
      ['definitely', /\bdefinitely\b/gi, 'definitely'],
      ['certainly', /\bcertainly\b/gi, 'certainly'],
      ['absolutely', /\babsolutely\b/gi, 'absolutely'],
      ['undoubtedly', /\bundoubtedly\b/gi, 'undoubtedly'],
      ['assured', /\bassured\b/gi, 'assured'],
      ['guaranteed', /\bguaranteed\b/gi, 'guaranteed'],
    ],
  },
  {
    group: 'error',
    weighing: 'trouble',
    rows: [
      ['error', /\berrors?\b/gi, 'error'],
      ['failed', /\bfailed\b/gi, 'failed'],
      ['exception', /\bexceptions?\b/gi, 'exception'],
      ['issue', /\bissues?\b/gi, 'issue'],
      ['problem', /\bproblems?\b/gi, 'problem'],
      ['bug', /\bbugs?\b/gi, 'bug'],
      ['mistake', /\bmistakes?\b/gi, 'mistake'],
    ],
  },
  {
    group: 'ralph-question',
    weighing: 'mention',
    rows: [
      [
        'should-i',
        /\b(?:should|shall|may|can) (?:i|we)\b[^?]{0,300}\?/gi,
        'should i',
        'should we',
        'shall i',
        'shall we',
        'may i',
        'may we',
        'can i',
        'can we',
      ],
      ['do-you', /\bdo you (?:want|prefer|need|have|mean|think|like|agree)\b[^?]{0,300}\?/gi, 'do you'],
      ['would-you', /\b(?:would|could|can|will) you\b[^?]{0,300}\?/gi, 'would you', 'could you', 'can you', 'will you'],
      [
        'which-option',
        /\bwhich (?:option|approach|one|version|way|of)\b[^?]{0,200}(?:\bprefer|\bchoose|\bwant|\?)/gi,
        'which option',
        'which approach',
        'which one',
        'which version',
        'which way',
        'which of',
      ],
      ['how-should', /\b(?:how|what|where) should\b[^?]{0,300}\?/gi, 'how should', 'what should', 'where should'],
      ['please-confirm', /\bplease (?:confirm|clarify|advise|approve|choose|specify|decide|let me know)\b/gi, 'please'],
      [
        'awaiting-input',
        /\b(?:awaiting|waiting (?:for|on)|pending) (?:your|user|further) (?:input|answer|response|reply|decision|approval|confirmation|feedback|instructions|permission)\b/gi,
        'waiting',
        'pending',
      ],
      ['let-me-know', /\blet me know (?:if|which|what|how|whether|when|your)\b/gi, 'let me know'],
      [
        'is-it-ok',
        /\bis (?:it|that|this) (?:ok|fine)[^?]{0,200}\?/gi,
        'is it ok',
        'is it fine',
        'is that ok',
        'is that fine',
        'is this ok',
        'is this fine',
      ],
    ],
  },
  {
    group: 'ralph-test',
    weighing: 'mention',
    rows: [
      ['running-tests', /\brunning (?:the |all |all the |unit )?tests\b/gi, 'running'],
      ['npm-test', /\bnpm (?:run )?test\b/gi, 'npm test', 'npm run test'],
      ['bats', /\bbats\b/gi, 'bats'],
      ['pytest', /\bpytest\b/gi, 'pytest'],
      ['jest', /\bjest\b/gi, 'jest'],
    ],
  },
  {
    group: 'ralph-work',
    weighing: 'mention',
    rows: [
      ['implementing', /\bimplementing\b/gi, 'implementing'],
      ['creating', /\bcreating\b/gi, 'creating'],
      ['writing', /\bwriting\b/gi, 'writing'],
      ['adding', /\badding\b/gi, 'adding'],
      ['function', /\bfunctions?\b/gi, 'function'],
      ['class', /\bclass(?:es)?\b/gi, 'class'],
    ],
  },
]

export const PHRASES: readonly Phrase[] = TABLE.flatMap(({ group, weighing, rows }) =>
  rows.map(([name, pattern, ...literals]) => ({ name: `${group}:${name}`, group, pattern, literals, weighing })),
)

/** Names of the phrases that stand, un-negated, in these lines; in the order of the table, each once. */
export function findPhrases(lines: Iterable<string>): string[] {
  const found = new Set<string>()
  for (const line of lines) {
    const lower = line.toLowerCase()
    const candidates = PHRASES.filter(
      ({ name, literals }) => !found.has(name) && literals.some((literal) => lower.includes(literal)),
    )
    if (candidates.length === 0) continue
    const sentences = sentencesOf(line)
    for (const { name, pattern, weighing } of candidates)
      if (sentences.some((sentence) => stands(pattern, weighing, sentence))) found.add(name)
  }
  return PHRASES.map(({ name }) => name).filter((name) => found.has(name))
}
