import type { PhraseKind } from './negation.ts'

type Row = readonly [name: string, pattern: RegExp, ...literals: string[]]

// A gap between two words of a phrase stays within one sentence and is short, so that matching takes linear time.
/** Every phrase: group, kind of negation, name, pattern, literals. To add one, add a line. */
export const PHRASE_TABLE: readonly {
  readonly group: string
  readonly weighing: PhraseKind
  readonly rows: readonly Row[]
}[] = [
  {
    group: 'cub',
    weighing: 'tag',
    rows: [['promise', /<promise>\s*complete\s*<\/promise>/i, '<promise>']],
  },
  {
    group: 'cub',
    weighing: 'fact',
    rows: [
      ['all-tasks-completed', /\ball tasks\b.{0,80}?\bcompleted?\b/i, 'complete'],
      ['implementation-finished', /\bimplementation\b.{0,80}?\bfinished\b/i, 'finished'],
      ['ready-for-review', /\bready for review\b/i, 'ready for review'],
      ['no-remaining-work', /\bno remaining work\b/i, 'no remaining work'],
      ['criteria-met', /\ball acceptance criteria\b.{0,80}?\bmet\b/i, 'acceptance criteria'],
    ],
  },
  {
    group: 'doyaken',
    weighing: 'fact',
    rows: [
      ['all-complete', /\ball\b.{0,80}?\bcompleted?\b/i, 'complete'],
      ['implementation-finished', /\bimplementation\b.{0,80}?\bfinished\b/i, 'finished'],
      ['task-done', /\btasks?\b.{0,80}?\bdone\b/i, 'done'],
      ['tests-passing', /\btests?\b.{0,80}?\bpass(?:ing|ed)\b/i, 'passing', 'passed'],
      [
        'successfully-completed',
        /\bsuccessfully\b.{0,80}?(?<!\b(?:a|an|the) )\bcomplet(?:e|ed|es|ing|ion)\b/i,
        'successfully',
      ],
    ],
  },
  {
    group: 'ralph-done',
    weighing: 'fact',
    rows: [
      ['done', /(?<!["'“(-])\bdone\b(?![[(<=-])/i, 'done'],
      ['complete', /(?<!-|\b(?:a|an|the|your|my|our) )\bcompleted?\b(?!<|-)/i, 'complete'],
      ['finished', /(?<!-|\b(?:a|an|the) )\bfinished\b(?!<)/i, 'finished'],
      ['all-tasks-complete', /\ball tasks (?:(?:are|were|have been|is|now) ){0,2}completed?\b/i, 'complete'],
      ['project-complete', /\bproject (?:(?:is|was|has been|now) ){0,2}completed?\b/i, 'complete'],
      ['ready-for-review', /\bready for review\b/i, 'ready for review'],
    ],
  },
  {
    group: 'asks',
    weighing: 'certainty',
    rows: [
      [
        'leave',
        /\b(?:please|(?:could|can|would|will) you(?: please)?|(?:need|waiting for|wait for) (?:you|the user) to)\b[^.?!]{0,60}?\b(?:grant|approve|authori[sz]e)\b/i,
        'grant',
        'approve',
        'authori',
      ],
      [
        'permission',
        /\bI(?: am|['’]m|['’]ll| will)?(?: still| also| now)? (?:need|require|wait(?:ing)? for|await(?:ing)?|blocked (?:on|by|waiting for))\b[^.?!]{0,60}?\b(?:permissions?|approval)\b/i,
        'permission',
        'approval',
      ],
      [
        'approval',
        /\b(?:requires?|needs?|awaits?|awaiting|waiting for|pending) (?:your|user) (?:permissions?|approval)\b/i,
        'permission',
        'approval',
      ],
    ],
  },
  {
    group: 'ralph-idle',
    weighing: 'fact',
    rows: [
      ['nothing-to-do', /\bnothing (?:left )?to do\b(?! with)/i, 'nothing to do', 'nothing left to do'],
      [
        'no-changes',
        /\bno (?:code |file |further |more )?changes\b/i,
        'no changes',
        'no code changes',
        'no file changes',
        'no further changes',
        'no more changes',
      ],
      ['already-implemented', /\balready (?:been )?(?:fully )?implemented\b/i, 'implemented'],
      ['up-to-date', /\bup[ -]to[ -]date\b/i, 'to date', 'to-date'],
    ],
  },
  {
    group: 'sure',
    weighing: 'certainty',
    rows: [
      ['confident', /\bconfident\b/i, 'confident'],
      ['sure', /(?<!\b(?:make|makes|making|made|be) )\bsure\b/i, 'sure'],
      ['certainly', /\bcertainly\b/i, 'certainly'],
      ['absolutely', /\babsolutely\b/i, 'absolutely'],
      ['undoubtedly', /\bundoubtedly\b/i, 'undoubtedly'],
      ['ensured', /\bensured\b/i, 'ensured'],
    ],
  },
  {
    group: 'likely',
    weighing: 'certainty',
    rows: [
      ['likely', /\blikely\b/i, 'likely'],
      ['probably', /\bprobably\b/i, 'probably'],
    ],
  },
  {
    group: 'unsure',
    weighing: 'mention',
    rows: [
      ['not-sure', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} sure\b/i, 'sure'],
      ['not-confident', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} confident\b/i, 'confident'],
      ['not-certain', /(?:\b(?:not|never|cannot)|n['’]t)(?: [\w%'’-]+){0,3} certain\b/i, 'certain'],
      ['unsure', /\bunsure\b/i, 'unsure'],
      ['uncertain', /\buncertain\b/i, 'uncertain'],
    ],
  },
  {
    group: 'hedge',
    weighing: 'mention',
    rows: [
      ['maybe', /\bmaybe\b/i, 'maybe'],
      ['might', /\bmight\b/i, 'might'],
      ['could', /\bcould\b(?! not\b)/i, 'could'],
      ['approximately', /\bapproximately\b/i, 'approximately'],
      ['roughly', /\broughly\b/i, 'roughly'],
      ['basically', /\bbasically\b/i, 'basically'],
      ['i-think', /\bi think\b/i, 'i think'],
    ],
  },
  {
    group: 'certain',
    weighing: 'certainty',
    rows: [
      ['definitely', /\bdefinitely\b/i, 'definitely'],
      ['certainly', /\bcertainly\b/i, 'certainly'],
      ['absolutely', /\babsolutely\b/i, 'absolutely'],
      ['undoubtedly', /\bundoubtedly\b/i, 'undoubtedly'],
      ['assured', /\bassured\b/i, 'assured'],
      ['guaranteed', /\bguaranteed\b/i, 'guaranteed'],
    ],
  },
  {
    group: 'error',
    weighing: 'trouble',
    rows: [
      ['error', /\berrors?\b/i, 'error'],
      ['failed', /\bfailed\b/i, 'failed'],
      ['exception', /\bexceptions?\b/i, 'exception'],
      ['issue', /\bissues?\b/i, 'issue'],
      ['problem', /\bproblems?\b/i, 'problem'],
      ['bug', /\bbugs?\b/i, 'bug'],
      ['mistake', /\bmistakes?\b/i, 'mistake'],
    ],
  },
  {
    group: 'ralph-question',
    weighing: 'mention',
    rows: [
      [
        'should-i',
        /\b(?:should|shall|may|can) (?:i|we)\b[^?]{0,300}\?/i,
        'should i',
        'should we',
        'shall i',
        'shall we',
        'may i',
        'may we',
        'can i',
        'can we',
      ],
      ['do-you', /\bdo you (?:want|prefer|need|have|mean|think|like|agree)\b[^?]{0,300}\?/i, 'do you'],
      ['would-you', /\b(?:would|could|can|will) you\b[^?]{0,300}\?/i, 'would you', 'could you', 'can you', 'will you'],
      [
        'which-option',
        /\bwhich (?:option|approach|one|version|way|of)\b[^?]{0,200}(?:\bprefer|\bchoose|\bwant|\?)/i,
        'which option',
        'which approach',
        'which one',
        'which version',
        'which way',
        'which of',
      ],
      ['how-should', /\b(?:how|what|where) should\b[^?]{0,300}\?/i, 'how should', 'what should', 'where should'],
      ['please-confirm', /\bplease (?:confirm|clarify|advise|approve|choose|specify|decide|let me know)\b/i, 'please'],
      [
        'awaiting-input',
        /\b(?:awaiting|waiting (?:for|on)|pending) (?:your|user|further) (?:input|answer|response|reply|decision|approval|confirmation|feedback|instructions|permission)\b/i,
        'waiting',
        'pending',
      ],
      ['let-me-know', /\blet me know (?:if|which|what|how|whether|when|your)\b/i, 'let me know'],
      [
        'is-it-ok',
        /\bis (?:it|that|this) (?:ok|fine)[^?]{0,200}\?/i,
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
      ['running-tests', /\brunning (?:the |all |all the |unit )?tests\b/i, 'running'],
      ['npm-test', /\bnpm (?:run )?test\b/i, 'npm test', 'npm run test'],
      ['bats', /\bbats\b/i, 'bats'],
      ['pytest', /\bpytest\b/i, 'pytest'],
      ['jest', /\bjest\b/i, 'jest'],
    ],
  },
  {
    group: 'ralph-work',
    weighing: 'mention',
    rows: [
      ['implementing', /\bimplementing\b/i, 'implementing'],
      ['creating', /\bcreating\b/i, 'creating'],
      ['writing', /\bwriting\b/i, 'writing'],
      ['adding', /\badding\b/i, 'adding'],
      ['function', /\bfunctions?\b/i, 'function'],
      ['class', /\bclass(?:es)?\b/i, 'class'],
    ],
  },
]
