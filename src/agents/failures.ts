import type { AgentError } from '../core/types.ts'

type Kind = AgentError['kind']

/** The first match decides. These are texts that agents and their CLIs print. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['truncated', /output token (?:maximum|limit)|max_(?:output_)?tokens|output length|MessageOutputLength/i],
  ['max-turns', /max(?:imum)?[ _-]?(?:number of |session[ _-]?)?turns|turn limit/i],
  ['refusal', /usage policy|content[ _-]?filter|\brefus(?:al|ed to)\b|safety polic/i],
  [
    'auth',
    /(?:invalid|incorrect|missing|expired) (?:x-)?api[ -]?key|not logged in|\/login\b|unauthori[sz]ed|authenticat|oauth token|ProviderAuth|\b401\b|\b403\b/i,
  ],
  [
    'limit',
    /(?:usage|rate|hit your|daily|weekly|monthly|spend(?:ing)?|session|hour|opus|sonnet)[ _-]limit|hit your limit|limit reached|quota|credit balance|out of (?:extra )?usage|billing|resource[ _](?:has been )?exhausted|exhausted your|too many requests|maximum budget|insufficient (?:credit|fund)|\b429\b|\b402\b/i,
  ],
  ['permission', /permission (?:denied|required)|requires? approval/i],
  [
    'api',
    /api error|overloaded|server[ _]error|enotfound|eai_again|could not resolve|high demand|at capacity|disconnect|connection|(?:cannot|unable to|could not|failed to) (?:connect|reach)|econn|etimedout|timed? ?out|network|fetch failed|context window|too long|bad request|invalid[ _]request|\b[45]\d\d\b/i,
  ],
]

/** The kind of failure, from the HTTP status, else from the text. */
export function failure(message: string, status?: number, resetAt?: number): AgentError {
  const at = resetAt ?? resetIn(message)
  const short = message.trim().slice(0, 2000)
  return {
    kind: kindOf(message, status),
    message: short === '' ? 'the agent failed without saying why' : short,
    ...(at === undefined ? {} : { resetAt: at }),
    ...(status === undefined ? {} : { status }),
  }
}

function kindOf(message: string, status: number | undefined): Kind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 429 || status === 402) return 'limit'
  const named = KINDS.find(([, words]) => words.test(message))
  if (named !== undefined) return named[0]
  return status !== undefined && status >= 400 ? 'api' : 'other'
}

/** A usage limit sometimes says when it ends: seconds or milliseconds since 1970, or a full date. A time like "7 pm" lacks the day. */
function resetIn(message: string): number | undefined {
  const epoch =
    /limit reached\|(\d{10}(?:\d{3})?)\b/i.exec(message) ??
    /(?:reset|again)\w* (?:at|in|on)? ?(\d{10}(?:\d{3})?)\b/i.exec(message)
  if (epoch?.[1] !== undefined) return fromEpoch(Number(epoch[1]))
  const date = /(?:reset|again|until)\D{0,16}(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))/i.exec(
    message,
  )
  const at = date?.[1] === undefined ? Number.NaN : Date.parse(date[1])
  return Number.isNaN(at) ? undefined : at
}

/** Seconds and milliseconds differ in size. */
export function fromEpoch(value: number): number {
  return value < 1e11 ? value * 1000 : value
}

/** After the CLI's text comes punctuation or nothing. A longer sentence is the agent's own. */
const MARK = '(?:\\s?[·∙|.,:;(\\u2013\\u2014-].*)?'

const NO_CONNECTION = '(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|[Cc]ould not resolve host:?)'
const PROVIDER =
  '(?:anthropic|openai|(?:generativelanguage|aiplatform)\\.googleapis|claude|chatgpt|openrouter|mistral|deepseek|api\\.x|openai\\.azure|bedrock[\\w.-]*\\.amazonaws)\\.(?:com|ai)'

/** Whole lines that the CLI prints in the agent's place if it can't reach the model. */
const CLI_MESSAGES = new RegExp(
  `^(?:[✗✘×] |\\W{0,4}(?:ERROR|Error|error): )?(?:${[
    `Claude (?:AI )?usage limit reached${MARK}`,
    `(?:\\d+-hour|Weekly|Daily|Session|Opus|Sonnet) limit reached${MARK}`,
    `You(?:'|’)ve (?:hit|reached) your (?:[\\w-]+ ){0,2}limit(?: for \\S+)?${MARK}`,
    `You(?:'|’)re out of (?:extra )?usage${MARK}`,
    `You have hit your \\w+ usage limit${MARK}`,
    '\\[?API Error: .*',
    `(?:Credit balance is too low|Invalid API key|Not logged in|Prompt is too long)${MARK}`,
    'Quota exceeded\\. (?:Check your plan|Upgrade to increase your limit)\\b.*',
    '(?:Execution failed: )?402 You have no quota\\b.*',
    "(?:Sorry, y|Y)ou(?:'|’)ve hit (?:a|your) (?:[\\w-]+ )?rate limit(?: that restricts\\b.*|\\. .*)",
    '(?:unexpected status|exceeded retry limit, last status:?) [45]\\d\\d\\b.*',
    'stream disconnected before completion: .*',
    '(?:anthropic|openai|google)(?:\\.\\w+)*: Error code: [45]\\d\\d\\b.*',
    '(?:anthropic|openai|google)(?:\\.\\w+)*\\.API(?:Connection|Timeout)Error: .*',
    // The network is down, and the message names a provider.
    `.{0,120}\\b${NO_CONNECTION} (?:[\\w.-]+\\.)?${PROVIDER}\\b.{0,40}`,
  ].join('|')})$`,
)

/** How those lines start. Few answers do, so the full pattern is rarely tried. */
const CLI_STARTS =
  /^\W{0,4}(?:ERROR|Error|error|Execution|Sorry|402|curl|getaddrinfo|FetchError|TypeError|Claude|\d+-hour|Weekly|Daily|Session|Opus|Sonnet|You|API|Credit|Invalid|Not|Prompt|Quota|unexpected|exceeded|stream|anthropic|openai|google)/

/** Lines that make, npm, just, docker compose and shells print around the agent. */
const WRAPPER_LINE = new RegExp(
  `^(?:${[
    '\\++ .*',
    'make(?:\\[\\d+\\])?: .*',
    'npm (?:ERR!|error|WARN|warn|notice)(?: .*)?',
    '[>$] .*',
    '\\s?ELIFECYCLE\\b.*',
    'error Command failed with exit code \\d+\\.',
    'info Visit https://yarnpkg\\.com/.*',
    'error: (?:Recipe|script) .*',
    'task: .*',
    '[\\w.-]+ exited with code \\d+',
    '(?:real|user|sys)\\s+\\d+m[\\d.]+s',
    // The command itself, as make and \`set -v\` show it.
    '(?:(?:cat|timeout|env|npx|docker|podman|sh|bash|script)\\b.*\\b)?(?:claude|codex|gemini|opencode)\\s.*',
  ].join('|')})$`,
)

/** docker compose puts the name of the service before each line. */
const SERVICE = /^[\w.-]+-\d+\s+\|\s/
const COLOUR = /\u001b\[[0-9;]*m/g
const MOST_WRAPPER_LINES = 20

/** The lines that the agent or its CLI printed, without those of the commands around it. */
export function ownLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(COLOUR, '').replace(SERVICE, '').trim())
    .filter((line) => line !== '' && !(line.length <= 500 && WRAPPER_LINE.test(line)))
}

/** A failure that the CLI printed as the agent's last message. An answer that only mentions one doesn't count. */
export function failureInWords(text: string): AgentError | undefined {
  // Indented lines at the end are the details of an error.
  const lines = text
    .trimEnd()
    .replace(/(?:\n[ \t]+\S.*){1,12}$/, '')
    .split('\n')
    .slice(-MOST_WRAPPER_LINES)
  const last = ownLines(lines.join('\n')).at(-1) ?? ''
  return last.length <= 500 && CLI_STARTS.test(last) && CLI_MESSAGES.test(last)
    ? { ...failure(last), inWords: true }
    : undefined
}
