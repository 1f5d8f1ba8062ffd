import { isCiFile, isTestFile } from '../frameworks/test-files.ts'

/** What the work is expected to show: a test that fails without it, or something that no test shows. */
export const EXPECTATIONS = ['proof', 'refactor', 'removal', 'docs', 'config', 'dependencies', 'none'] as const
export type Expects = (typeof EXPECTATIONS)[number]
/** What the words of a task ask for; `unclear` if they don't say it. Most projects have no tests for `looks`. */
export type Asked = Expects | 'unclear' | 'looks'

/** What the task asks for, at the end of a sentence. */
export const EXPECTATION_TEXT: Readonly<Record<Expects, string>> = {
  proof: 'changed behavior, which a test can show',
  refactor: 'the same behavior in other code',
  removal: 'a removal',
  docs: 'documentation',
  config: 'settings',
  dependencies: 'other versions of dependencies',
  none: 'nothing that a new test can show',
}

const PROSE =
  'readme|changelog|docs?|documentation|docstrings?|jsdoc|comments?|typos?|spelling|wording|grammar|guide|tutorial|licen[cs]e'
const SETTINGS =
  'configs?|configuration|settings|ci|workflows?|pipelines?|eslint|prettier|biome|lint(?:er|ing)?|formatter|tsconfig|editorconfig|gitignore|dockerfile|github actions?'
const PACKAGES = 'dependenc(?:y|ies)|packages?|lock ?files?|librar(?:y|ies)|versions?'
const TOOLS =
  'jest|vitest|mocha|jasmine|karma|ava|uvu|pytest|unittest|nose|rspec|minitest|phpunit|webpack|vite|rollup|esbuild|babel|tsc|eslint|prettier|biome|npm|yarn|pnpm|test runner|bundler|build tool'
const CHANGING =
  'add|write|update|fix|improve|correct|extend|complete|rewrite|revise|translate|create|expand|format|adjust'

const starting = (words: string) => new RegExp(`^(?:please |then |also |and |now |next )*(?:${words})\\b`, 'i')
const some = (words: string) => new RegExp(`\\b(?:${words})\\b`, 'i')

/** The verb a sentence begins with, and what it is about. The first row that matches gives the kind of the task. */
const KINDS: readonly (readonly [verb: RegExp, about: RegExp | undefined, Expects])[] = [
  [
    /^(?:please |then |also )*(?:add|write|extend|improve|complete)\s+(?:(?:a|an|the|some|more|missing|unit|further|new|better)\s+)*(?:tests?|specs?|test cases?|coverage)\b/i,
    undefined,
    'none',
  ],
  [starting(`${CHANGING}|document|describe|explain`), new RegExp(`^\\W*(?:\\w+\\W+){0,4}(?:${PROSE})\\b`, 'i'), 'docs'],
  [
    starting(CHANGING),
    new RegExp(`\\b(?:to|in|into|of) (?:the |our |this )*(?:${PROSE})(?:\\.\\w+)?\\W*$`, 'i'),
    'docs',
  ],
  [starting('document|describe'), undefined, 'docs'],
  [starting(`bump|upgrade|downgrade|pin|update`), some(`${PACKAGES}|to v?\\d[\\w.]*`), 'dependencies'],
  [starting('bump|upgrade|downgrade'), undefined, 'dependencies'],
  [
    starting(`${CHANGING}|configure|enable|disable|set up|change|move`),
    new RegExp(`^\\W*(?:\\w+\\W+){0,3}(?:${SETTINGS})\\b`, 'i'),
    'config',
  ],
  [starting('replace|swap|switch|move|migrate|port|convert'), some(TOOLS), 'config'],
  [
    starting(
      'refactor|rename|extract|inline|restructure|reorgani[sz]e|reformat|tidy|clean up|simplify|deduplicate|split|modularize|convert|port|migrate',
    ),
    undefined,
    'refactor',
  ],
  [starting('remove|delete|drop|deprecate|get rid of'), undefined, 'removal'],
]

const MAKING =
  'add|implement|fix|support|make|allow|build|ensure|let|introduce|provide|teach|improve|speed up|optimi[sz]e|create|write|extend|change'
const DOING =
  'complete|finish|solve|correct|repair|develop|expose|enable|handle|return|parse|validate|reject|accept|throw|show|display|print|generate|compute|calculate|convert|sort|filter|quote|escape|trim|count'

/** Words that ask for something the program does. */
const BEHAVIOR = [
  starting(`${MAKING}|${DOING}`),
  /\b(?:should|must|shall|needs? to|has to|ought to)\b(?! (?:not |still )?(?:pass|stay|remain|keep (?:passing|working|the same)))/i,
  /\b(?:bugs?|crash(?:es)?|throws?|fails?|wrong(?:ly)?|incorrect(?:ly)?|broken|instead of|when (?:the|a|an|it|you)|feature|endpoint|with tests)\b/i,
]

/** Looks, which most projects don't test. Where tests can reach the changed files, they count as behavior. */
const LOOKS = some(
  'css|styl(?:e|es|ing|esheets?)|colou?rs?|fonts?|margins?|paddings?|spacing|dark mode|themes?|rounded|centered|logos?|icons?|favicons?|(?:blue|red|green|black|white|gr[ae]y|bold|bigger|smaller|larger) (?:text|buttons?|links?|background|header|footer|border)|(?:text|buttons?|links?|background|header|footer|borders?) (?:blue|red|green|black|white|gr[ae]y|bold|bigger|smaller|larger|wider)',
)

/** The type of a change, as titles of commits have it: `refactor(parser): one reader`. Others say nothing about it. */
const TYPED = /^(\w+)(?:\([^()]*\))?!?:\s+(?=\S)/
const TYPES: Readonly<Record<string, Expects | 'unclear'>> = {
  ...{ feat: 'proof', fix: 'proof', perf: 'proof', refactor: 'refactor', style: 'refactor' },
  ...{ docs: 'docs', doc: 'docs', test: 'none', tests: 'none', ci: 'config', deps: 'dependencies' },
  ...{ chore: 'unclear', build: 'unclear', revert: 'unclear' },
}
/** Something else too. */
const ADDING = /\b(?:so that|and (?:add|fix|implement|support|make|return|handle))\b/i
const LINTING = /^lint(?:ing)?(?: (?:(?:the|all) )?(?:code|files))?\W*$/i

/** What must not happen, and what else to do: it says nothing about the task itself. */
const ASIDE =
  /\b(?:don'?t|do not|never|without) (?:\w+ ){0,2}(?:chang|break|touch|modif|alter|edit|delet|skip|weaken)|\bbehaviou?r\b.*\b(?:same|unchanged|not change)|\b(?:stays?|remains?|works?|behaves?|checks?|does|do) (?:exactly )?(?:the same|unchanged|as before)\b|\b(?:no|same|unchanged|keep\w*|preserv\w*) (?:\w+ ){0,3}(?:behaviou?r|api|tests?)\b|\b(?:run|all|existing) (?:\w+ ){0,2}tests?\b|^(?:commit|push|report|thanks|thank you|note)\b/i

/** A plan without the items that are done. */
export const openItemsOf = (plan: string): string => plan.replace(/^\s*(?:[-*+]|\d+[.)])\s+\[[xX]\].*$/gm, '')

/** The sentences and items of a text for people, without code. */
export function sentencesOf(text: string): readonly string[] {
  const lines = text
    .replace(/```[\s\S]*?(?:```|$)/g, '')
    .split('\n')
    .filter((line) => !/^\s*(?:#{1,6}\s|\||<!--)/.test(line))
  const items = lines.filter((line) => ITEM.test(line))
  const said = items.length > 0 ? items : lines.join('\n').split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)/)
  return said
    .flatMap((each) =>
      each
        .replace(ITEM, '')
        .replace(/\s+/g, ' ')
        .split(/(?<=[.!?])\s+(?=\S)/),
    )
    .map((each) => each.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim())
    .filter((each) => /\p{L}{2}/u.test(each))
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+\[.\]\s+/

function askedIn(sentence: string): Asked | 'aside' {
  const [title = '', type = ''] = TYPED.exec(sentence) ?? []
  const typed = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  if (typed === undefined) return askedBy(sentence)
  const rest = askedBy(sentence.slice(title.length))
  const isMore = ADDING.test(sentence) || (typed === 'refactor' && (rest === 'proof' || rest === 'looks'))
  return typed === 'unclear' || isMore ? rest : typed
}

function askedBy(sentence: string): Asked | 'aside' {
  const plain = sentence.replace(/`[^`]*`/g, 'it')
  for (const [verb, about, kind] of KINDS) {
    const found = verb.exec(plain)
    if (found === null) continue
    const rest = plain.slice(found[0].length)
    const isAbout = about === undefined || about.test(rest)
    if (isAbout)
      return /\b(?:so that|and (?:add|fix|implement|support|make|return|handle))\b/i.test(rest) ? 'proof' : kind
  }
  if (LINTING.test(plain)) return 'refactor'
  if (ASIDE.test(plain)) return 'aside'
  if (LOOKS.test(plain)) return 'looks'
  return BEHAVIOR.some((words) => words.test(plain)) ? 'proof' : 'unclear'
}

/**
 * What the user's words ask for. One sentence or item that asks for behavior is enough for `proof`. Anything else counts only if every
 * sentence is understood.
 */
export function askedFor(texts: readonly string[]): Asked {
  const asked = texts
    .flatMap(sentencesOf)
    .map(askedIn)
    .filter((each) => each !== 'aside')
  if (asked.includes('proof')) return 'proof'
  if (asked.length === 0 || asked.includes('unclear')) return 'unclear'
  return asked.includes('looks') ? 'looks' : asked[0]!
}

const UNREACHABLE =
  /\.(?:md|mdx|markdown|rst|adoc|css|scss|sass|less|styl|png|jpe?g|gif|svg|webp|avif|ico|bmp|pdf|woff2?|ttf|otf|mp[34])$|(?:^|\/)(?:LICEN[CS]E|NOTICE|AUTHORS|CODEOWNERS|CONTRIBUTORS)[^/]*$|(?:^|\/)docs?\/(?:[^/]+\/)*[^/]+\.txt$/i

/** Styles, prose, images and CI that no test mentions. */
export const isOutOfReach = (path: string, testTexts: readonly string[]): boolean =>
  (UNREACHABLE.test(path) || isCiFile(path)) &&
  !testTexts.some((text) => text.includes(path.slice(path.lastIndexOf('/') + 1)))

/** How a project tests its changes, from its last commits that change product code. */
export interface History {
  readonly commits: number
  /** Those that touch no test. */
  readonly untested: number
}

const MOST_COMMITS = 100
const FEWEST_COMMITS = 20

/** Counts the commits, newest first, each with its files. `isSource` and `isTest` know the roles of paths. */
export function historyOf(
  commits: readonly (readonly string[])[],
  isSource: (path: string) => boolean,
  isTest: (path: string) => boolean = (path) => isTestFile(path),
): History {
  const counted = commits.filter((files) => files.some(isSource)).slice(0, MOST_COMMITS)
  return { commits: counted.length, untested: counted.filter((files) => !files.some(isTest)).length }
}

/** Whether changes come without tests in a project's own history. */
export const goesUntested = ({ commits, untested }: History): boolean =>
  commits >= FEWEST_COMMITS && untested > commits / 3

export type ProofMode = 'auto' | 'required' | 'report'

/** Whether a run may need proof, before anything has changed. */
export function expectsProof(
  { proof, expects }: { readonly proof?: ProofMode; readonly expects?: Expects | null },
  texts: readonly string[],
): boolean {
  if (proof === undefined || proof === 'report') return false
  return proof === 'required' || ['proof', 'unclear'].includes(expects ?? askedFor(texts))
}

/** What a run shows at its start. `chosen` is from the settings. */
export function expectsText(asked: Asked, chosen: boolean): string {
  const from = chosen ? 'as you chose' : 'from the task; --expects changes it'
  if (asked === 'unclear' || asked === 'looks')
    return "proof, if a test can reach the changes (the task doesn't say it; --expects does)"
  if (asked === 'proof') return `proof: a test that fails without the change (${from})`
  return `${EXPECTATION_TEXT[asked]}, so no proof is required (${from})`
}

/** Whether proof is required, and why it is not, as the end of "Not required: ...". */
export interface Requirement {
  readonly required: boolean
  readonly expects: Expects
  readonly why: string
  /** Where a service is set that the runs of the tests share, and that nothing resets. */
  readonly shared?: string | undefined
}

export interface RequirementFacts {
  /** There was no test command at the start. */
  readonly isAdded?: boolean | undefined
  readonly mode: ProofMode
  /** A run with a preset that asks for proof. Everything else only reports it, unless the setting requires it. */
  readonly isAsked: boolean
  /** What the user chose, or what the words of the task ask for. */
  readonly asked: Asked
  /** Every changed file is of a kind that no test here can reach. */
  readonly outOfReach: boolean
  readonly history: () => Promise<History | undefined>
}

/** Decides whether the work has to be proven. */
export async function requirementFor(facts: RequirementFacts): Promise<Requirement> {
  const { mode, isAsked, asked, outOfReach, history, isAdded } = facts
  const isOpen = asked === 'unclear' || asked === 'looks'
  const expects = isOpen ? (outOfReach ? 'none' : 'proof') : asked
  const not = (why: string): Requirement => ({ required: false, expects, why })
  if (mode === 'required') return { required: true, expects, why: 'evidence.proof is "required"' }
  if (mode === 'report') return not('evidence.proof is "report"')
  if (!isAsked) return not('only a run with the default preset requires it')
  if (isAdded) return { required: true, expects, why: 'the agent added the test command' }
  if (isOpen && outOfReach) return not('no test here can reach the changed files')
  if (expects !== 'proof') return not(`the task asks for ${EXPECTATION_TEXT[expects]}`)
  const past = await history()
  if (past !== undefined && goesUntested(past))
    return not(`${past.untested} of the last ${past.commits} commits that change this code touch no test`)
  return { required: true, expects, why: 'the task asks for changed behavior' }
}

/** Documents and settings, which a test command may not notice. */
export const expectsNothing = (expects: Expects | undefined, taskTexts: readonly string[]): boolean =>
  ['docs', 'config'].includes(expects ?? askedFor(taskTexts))
