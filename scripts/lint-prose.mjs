// Checks the English of documentation, messages, comments and test titles: `npm run lint:prose [FILE...]`.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { proseIn } from './prose.mjs'

/** Banned patterns, and what to write instead. */
const BANNED = [
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\banew\b/i, 'again, or leave it out'],
  [/\b(?:whoever|whosoever|whomever)\b/i, 'name the actor: you, the user, the agent'],
  [/\b(?:nobody|somebody|anybody|everybody)\b/i, 'name the actor: you, the user, the agent'],
  [/\bno one\b/i, 'name the actor, or use the active voice'],
  [/\ba person\b/i, 'you, or the user'],
  [/\b(?:stands?|stood)\b(?! for\b| by\b| out\b)|\bas it stands\b/i, 'is'],
  [/\bbehind\b/i, 'after'],
  [/\bbesides?\b/i, 'next to, or also'],
  [
    /(?<!\b(?:there|which|it|result|answer) )\b(?:is|are|was|were) no (?!longer\b|more\b|matter\b|other\b)\w/i,
    '"is not a …", or "there is no …"',
  ],
  [/how-?manieth/i, 'which number'],
  [/\blest\b/i, 'so that … does not'],
  [/\b(?:goes|go|went|gone|going) on\b/i, 'continue'],
  [/\bfor ever\b/i, 'forever'],
  [/\b(?:says?|said|saying) that\b/i, 'drop "that"'],
  [/\b(?:is|are|was|were|be|been) (?:told|asked|said)\b/i, 'active voice: who reports or checks what'],
  [/\bis (?:waited for|held (?:to|against)|gone on with)\b/i, 'active voice'],
  [/\b(?:hold|holds|held|holding) [^.;:]{1,40} against\b/i, 'compare with'],
  [/\bat hand\b/i, 'current, available'],
  [/\bhindrances?\b/i, 'precondition'],
  [/\bas it lies\b|\b(?:lies|lie) (?:in|on|under|beside|there|here|outside|inside|next)\b/i, 'is'],
  [/\bwords about\b|\bwords for the agent\b/i, 'flags, arguments'],
  [
    /\b(?:hitherto|hence|thereof|therein|whence|hereby|wherein|thereby|whereby|thus|yonder|albeit|nought|naught)\b/i,
    'plain English',
  ],
  [/\bthat which\b|\bas of itself\b|\bof themselves\b/i, 'name it'],
  [
    /\b(?:key|keys|gate|lock|door) (?:turns?|turned|opens?|opened|shuts?)\b|\b(?:turns?|turned) (?:the|both) keys?\b|\bopens? the gate\b/i,
    'passes, completes',
  ],
  [
    /(?:^|[.:;] )(?:Is|Are|Was|Were|Has|Have|Does|Did|Should) [^.?!:]{3,80}, (?:then|it|the|so|its|nothing|this|that)\b[^?]*(?:\.|$)/,
    'start with "If"',
  ],
  [/\b1 (?:\w+ )?(?:runs|iterations|times|items|tests|files|tasks|events|lines|commits|workers)\b/, 'the singular'],
  [/\bso many (?:of|at|times)\b/i, 'N'],
  [/\btaken? (?:it )?over by hand\b|\btake them over\b/i, 'merge or commit'],
]

/** Maximum number of words in a sentence. Tables and lists of names are not sentences. */
const LONGEST = { paragraph: 25, comment: 30, message: 35, title: 30, heading: 12 }

const ALLOW_FILE = 'scripts/prose-allow.json'
/** Each entry has a file, a piece of its text, and the reason for the exception. */
const allowed = JSON.parse(readFileSync(ALLOW_FILE, 'utf8'))
const unused = new Set(allowed)

const isAllowed = (file, text) => {
  const entry = allowed.find((one) => one.file === file && text.includes(one.text))
  if (entry) unused.delete(entry)
  return entry !== undefined
}

/** Data, generated files, and formats of other programs. */
const SKIPPED =
  /^(?:tests\/(?:golden|fixtures|vectors)\/|THIRD-PARTY|LICENSE|sample\/|docs\/internal\/decisions\/|package-lock)/

/** Programs and agents' speech that the gauntlet or the golden files need; only their comments are prose. */
const SCRIPTED =
  /^(?:bench\/gauntlet\/(?:repositories|scenarios)\/|bench\/redteam\/(?:classes\/|projects|leave-helpers)|scripts\/test-goldens\/)/

export function problemsIn(file, prose = proseIn(file)) {
  const checked = SCRIPTED.test(file) ? prose.filter(({ kind }) => kind === 'comment') : prose
  return checked.flatMap(({ kind, line, text }) => {
    const found = BANNED.flatMap(([pattern, use]) => {
      const match = pattern.exec(text)
      return match === null ? [] : [`"${match[0].trim()}": ${use}`]
    })
    const long = sentencesOf(text).find((sentence) => wordsIn(sentence) > LONGEST[kind])
    if (long !== undefined)
      found.push(`${wordsIn(long)} words in a sentence, the limit is ${LONGEST[kind]}: ${long.slice(0, 60)}…`)
    return found.length === 0 || isAllowed(file, text) ? [] : found.map((problem) => `${file}:${line}: ${problem}`)
  })
}

/** A semicolon or colon doesn't end a sentence, because long chains are what this looks for. A code example does. */
const sentencesOf = (text) =>
  text.replace(/```.*?```/gs, '\n\n').split(/(?<=[.!?])["')]*\s+(?=["'(`‹]?[A-Z‹])|\n{2,}|\n[ \t]*[-*|]/)
const wordsIn = (sentence) => sentence.match(/[\p{L}\d][\p{L}\d'’_./-]*|‹›/gu)?.length ?? 0

function filesToCheck(given) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  })
  return listed
    .split('\0')
    .filter(
      (file) =>
        /\.(?:md|ts|tsx|mjs)$/.test(file) && !/\.d\.m?ts$/.test(file) && !SKIPPED.test(file) && existsSync(file),
    )
    .filter(
      (file) =>
        given.length === 0 || given.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`)),
    )
}

if (import.meta.main ?? process.argv[1]?.endsWith('lint-prose.mjs')) {
  const given = process.argv.slice(2)
  const files = filesToCheck(given)
  const problems = files.flatMap((file) => problemsIn(file))
  const withoutReason = allowed.filter(({ reason }) => typeof reason !== 'string' || reason.length < 10)
  for (const { file, text } of withoutReason) problems.push(`${ALLOW_FILE}: "${text}" (${file}) has no reason`)
  if (given.length === 0)
    for (const { file, text } of unused)
      problems.push(`${ALLOW_FILE}: "${text}" is no longer in ${file}; remove the entry`)
  for (const problem of problems) console.log(problem)
  console.log(`${files.length} files checked, ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
